"""Serve your own labeler, and review its labels.

Usually a vision model labels, and each line runs in a separate terminal:

    bt-exec label serve -v game/vocabulary.yaml -s client.model=qwen3-vl     # where the model is
    bt-exec label run game -v game/vocabulary.yaml -l remote -s url=http://HOST:8902 --out run
    bt-exec label review run --source game -v game/vocabulary.yaml -r ann    # a page: A, C or R

Here the labeler uses only the vocabulary, and a function sends what the page would send.
"""

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from bt_exec.cli.app import run_command_line
from bt_exec.web.login import Login
from bt_exec.web.server import AppServer
from bt_exec_labeler.labelers import Labelled
from bt_exec_labeler.plan_record import Goal, Record
from bt_exec_labeler.review.app import make_app as make_page
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.review.review_cards import cards_of
from bt_exec_labeler.service.app import make_app as make_service
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import make_game
from bt_exec_labeler.vocabulary import load_vocabulary

HERE = "127.0.0.1"
game = make_game(Path("game"), episodes=2, seed=3)
vocabulary = load_vocabulary(game / "vocabulary.yaml")
words = ["-v", "game/vocabulary.yaml"]


class ByTheBook:
    """Labels each mid step by its name, with low confidence."""

    name = "book"

    def label(self, items):
        steps = [(item.mid_step_id, vocabulary.mid_steps[item.mid_step_id]) for item in items]
        goals = [(name, (Goal(step.ops[0], dict(step.args)),)) for name, step in steps]
        return [
            Labelled(Record(name, goal, 4, "strict_horizon", uncertainty="mid"))
            for name, goal in goals
        ]

    def usage(self):
        return {}


def served(app):
    server = AppServer(app, HERE, 0)
    server.start()
    return server, f"http://{HERE}:{server.port}"


def press(url, **decision):
    """Send what a key of the page sends; return the first problem, or the decision."""
    body = json.dumps(decision).encode()
    try:
        asked = Request(f"{url}/decisions", body, {"Content-Type": "application/json"})
        return json.load(urlopen(asked))["decision"]
    except HTTPError as error:
        return json.load(error)["problems"][0]["message"]


service, url = served(make_service(ByTheBook(), "controller", vocabulary, Login(""), HERE, None))
ask = ["-l", "remote", "-s", f"url={url}", "--no-cache"]
run_command_line(["label", "run", "game", *words, *ask, "--out", "run", "--stride", "3"])
service.stop()

episodes = {episode.id: episode for episode in read_source(game)}
cards = cards_of(Path("run"), vocabulary, episodes)
decisions = Decisions(Path("run"), "ann")
page, url = served(make_page(cards, vocabulary, decisions, HERE))
first, second, *others = [card.line for card in cards]
record = cards[0].data(vocabulary)["record"]
print(press(url, item=first["item"], decision="correct", record={**record, "uncertainty": "no"}))
wrong = {**record, "uncertainty": "아니"}
print(press(url, item=first["item"], decision="correct", record=wrong, language="ko"))
print(press(url, item=first["item"], decision="correct", record={**record, "uncertainty": "low"}))
print(press(url, item=second["item"], decision="reject"))
for line in others:
    press(url, item=line["item"], decision="accept")
page.stop()
decisions.close()

run_command_line(["label", "report", "run", *words])
run_command_line(["label", "dataset", "run", "--source", "game", *words, "--out", "set"])

# Output:
# 20 records, 0 dropped, 0 left of 20 (0 from the cache): run
# requests 4
# 'no' is not listed; allowed: low, mid, high
# 목록에 없는 값입니다: '아니'. 쓸 수 있는 값: low, mid, high
# correct
# reject
# 20 items, 20 records, 20 usable
#   uncertainty low       0   0.0 %
#   uncertainty mid      20 100.0 %
#   uncertainty high      0   0.0 %
#        2 go_to_key
#        2 take_key
#        2 go_to_gate
#        2 talk_gate_guard
#        2 open_gate
#        2 go_to_chest
#        2 open_chest
#        2 take_gem
#        2 go_home
#        2 rest
#   reviewed by ann: accept 8, correct 1, reject 1
#   agreement labeler, ann              90.0 % of 10 the same,  10.0 % without pictures, kappa 0.89
# splits by episode: train 20; 10 for review
# ! no records for val and test: 2 episodes have records; 3 are needed
# set: controller set, train 19 (rows)
# ! no records for val and test: 2 episodes have records; 3 are needed
# 1 records left out: reviewers rejected them, or disagree
