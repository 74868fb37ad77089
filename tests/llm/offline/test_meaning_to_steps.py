"""Commands that are converted to steps, and unclear commands that must be refused."""

from itertools import permutations

import pytest

pytestmark = pytest.mark.sampled

UNDERSTOOD = [
    ("door", "Open the door, if you fail close it and fold your arms",
     "open_door | (close_door, arms_home)"),
    ("door", "오른손으로 문 닫고 그 손으로 다시 열어", "close_door right, open_door right"),
    ("door", "문을 열어 보고 못 열겠으면 이유를 말하고 홈으로 돌아가", "open_door | arms_home"),
    ("door", "Open the door, but not with your right arm.", "open_door left"),
    ("door", "Rather than the right arm, use the left to close the door.", "close_door left"),
    ("door", "Anything but the left arm, please: open the door.", "open_door right"),
    ("door", "왼손은 쓰지 말고 문 열어", "open_door right"),
    ("door", "오른팔로 말고 문 열어", "open_door left"),
    ("door", "Neither open nor close the door, only fold the arms.", "arms_home"),
    ("door", "문 여는 건 됐고 자재가 보이는지만 봐", "is_material_visible"),
    ("door", "아무것도 하지 말고 문이 열렸는지만 확인해", "is_the_door_open"),
    ("door", "don't touch the door, just fold your arms", "arms_home"),
    ("door", "문은 그냥 두고 팔만 접어", "arms_home"),
    ("door", "자재는 그대로 두고 문만 닫아", "close_door"),
    ("door", "들고 있는 거 없으면 자재 가져와", "get_material unless hands_hold"),
    ("door", "As long as your left hand is empty, open the door with it.",
     "open_door left unless not hand_empty left"),
    ("door", "팔 접어. 문은 내가 닫을 테니까.", "arms_home"),
    ("door", "문은 내가 닫을 테니까 자재만 꺼내줘", "get_material_leave_open"),
    ("door", "문 닫고 자재는 그냥 놔둬", "close_door"),
    ("door", "Don't use the right arm. Open the door.", "open_door left"),
    ("building", "라운지가 비어 있는지 보고 비었으면 교수님께 가서 말씀드려",
     "look_at lounge people, look_for_people lounge, (go_to_person professor professor_office, "
     "tell_seen professor professor_office) unless people_there"),
    ("building", "교수님 방 빼고 라운지 보고 와", "look_at lounge, report_back"),
    ("building", "Instead of the lounge check the corridor", "look_at corridor_center"),
    ("building", "neither the lounge nor the corridor: check the break room",
     "look_at break_room"),
    ("building", "라운지 가는 대신 복도 가", "go_to corridor_center"),
    ("door", "Open the door, and if it does not work tell me", "open_door"),
    ("door", "오른팔로 문 열고, 안 되면 왼팔로, 그것도 안 되면 팔 접어",
     "open_door right | open_door left | arms_home"),
    ("building", "Deliver the box to the professor. If that fails, come back and tell me.",
     "deliver_item professor box | report_back"),
    ("building", "라운지로 가 줘, 혹시 안 되면 휴게실로 가", "go_to lounge | go_to break_room"),
    ("building", "Take the box from the lounge to the professor",
     "deliver_item professor box lounge"),
    ("building",
     "Ask the professor whether he is free. If so, come back, otherwise go to the lounge.",
     "ask_person professor professor_office whether he is free, "
     "(answered_yes?, come_back) | (not answered_yes?, go_to lounge)"),
    ("building", "교수님께 시간 있으신지 여쭤보고 없다고 하시면 돌아와",
     "ask_person professor professor_office 시간 있으신지, come_back unless answered_yes"),
    ("building", "교수님 방에 손님이 있으면 방해하지 말고 그냥 돌아와",
     "look_for_visitors professor_office, come_back unless not visitors_there"),
    ("building", "라운지를 2분 동안 지켜봐", "go_to lounge, pause 120, look_at lounge"),
    ("building", "휴게실 사람들한테 자리 좀 정리해 달라고 해 줘",
     "tell_people break_room 자리 좀 정리해 달라고"),
    ("building", "give the professor my best regards",
     "tell_person professor professor_office best regards"),
    ("building", "Is the corridor dark at the east end?",
     "look_at corridor_east light, report_back"),
    ("building", "우리 팀장님이 라운지 비었는지 물어보시네", "look_at lounge people, report_back"),
    ("building", "상자는 휴게실 사람들한테 맡기고, 아무도 안 받겠다면 교수님께 가져가",
     "bring_item break_room 상자 | deliver_item professor 상자"),
    ("building", "If the professor is in, get the documents from him.",
     "look_for_person professor professor_office, collect_item documents professor unless "
     "not person_found professor"),
    ("building", "Go to the lounge, if you fail go to the break room. Then look at the break room.",
     "go_to lounge | go_to break_room, look_at break_room"),
    ("door", "Are your hands empty?", "are_hands_empty"),
    ("door", "Which hand is empty?", "are_hands_empty"),
    ("door", "양손이 비었으면 문 열어",
     "open_door unless not hand_empty left and hand_empty right"),
    ("door", "Do you have anything in your hands?", "hands_state"),
    ("door", "양손에 뭐 들고 있어?", "hands_state"),
    ("door", "오른손에 뭐 들고 있어?", "is_hand_full right"),
    ("door", "문 닫는 거 잊지 말고 자재 가져와", "get_material, close_door"),
    ("door", "문은 열지 말고 상태만 알려 줘", "door_state"),
    ("door", "문 열고 자재도 좀", "open_door, get_material"),
    ("door", "If the door is open, tell me whether the material is visible",
     "is_material_visible unless not door_is open"),
    ("door", "if the door is closed, tell me what is in your hand, otherwise close it",
     "(door_is closed?, is_anything_held) | (not door_is closed?, close_door)"),
    ("door", "문이 닫혀 있으면 열고 문이 열려 있으면 자재 보이는지 알려줘",
     "(door_is closed?, open_door) | (not door_is closed?, "
     "is_material_visible unless not door_is open)"),
    ("building", "라운지에 사람 있으면 몇 명인지 알려줘",
     "look_for_people lounge, look_at lounge people unless not people_there, report_back"),
    ("building", "라운지에 사람이 있으면 몇 명인지 보고 없으면 돌아와",
     "look_for_people lounge, (people_there?, look_at lounge people) | "
     "(not people_there?, come_back)"),
    ("building", "If the lounge is not noisy, tell me how many people are there",
     "listen_at lounge, look_at lounge people unless loud_there, report_back"),
    ("door", "If you can't open the door with the left arm, use the right one.",
     "open_door left | open_door right"),
    ("door", "If the left arm can't close the door, use the right arm.",
     "close_door left | close_door right"),
    ("door", "try to open the door with the left arm, otherwise use the right one",
     "open_door left | open_door right"),
    ("door", "왼팔로 문을 못 열면 오른팔로 열어", "open_door left | open_door right"),
    ("door", "문 열고 자재 못 꺼내면 문 닫아", "open_door, get_material | close_door"),
    ("door", "Get the material; if it isn't there, close the door.",
     "get_material | (not material_visible?, close_door)"),
    ("door", "자재 가져오고 자재가 안 보이면 문 닫아",
     "get_material | (not material_visible?, close_door)"),
    ("door", "Open the door; if it is still closed, use the left arm.",
     "open_door | (door_is closed?, open_door left)"),
    ("door", "Close the door with the left arm, and if that doesn't work, let the right one try.",
     "close_door left | close_door right"),
    ("building", "Deliver the coffee to the professor, but if he isn't in, bring it back to me.",
     "deliver_item professor coffee | (look_for_person professor professor_office, "
     "not person_found professor?, report_back)"),
    ("building", "교수님께 회의 시간 여쭤보고 안 계시면 라운지로 가",
     "ask_person professor professor_office 회의 시간 | (look_for_person professor "
     "professor_office, not person_found professor?, go_to lounge)"),
    ("building", "교수님 계신지 보고, 계시면 서류 드리고 안 계시면 그냥 와",
     "look_for_person professor professor_office, (person_found professor?, "
     "deliver_item professor 서류) | (not person_found professor?, come_back)"),
    ("door", "If the door is closed, open it; otherwise don't touch it.",
     "open_door unless not door_is closed"),
    ("door", "If the door is open don't touch it, otherwise open it.",
     "open_door unless door_is open"),
    ("door", "문이 닫혀 있으면 열고 아니면 건드리지 마", "open_door unless not door_is closed"),
    ("door", "If the door is closed, open it; otherwise don't touch it. Then fold your arms.",
     "open_door unless not door_is closed, arms_home"),
    ("door", "If the door is closed, open and close it, otherwise close it.",
     "(door_is closed?, open_door, close_door) | (not door_is closed?, close_door)"),
    ("door", "Bring me the material, but don't close the door afterwards.",
     "get_material_leave_open"),
    ("door", "문 열고 10초 뒤에 닫아", "open_door, pause 10, close_door"),
    ("door", "open the door and close it ten seconds later", "open_door, pause 10, close_door"),
    ("door", "문이 닫혀 있으면 열고 5초 뒤에 닫아",
     "(open_door, pause 5, close_door) unless not door_is closed"),
    ("door", "Open and close the door three times.", "(open_door, close_door) x3"),
    ("door", "왼팔로 문 두 번 열었다 닫았다 해", "(open_door left, close_door left) x2"),
    ("door", "문 열고 닫기를 두 번 반복해", "(open_door, close_door) x2"),
    ("door", "open the door and close it twice", "(open_door, close_door) x2"),
    ("door", "경첩 점검 중이니까 문을 두 번 열었다 닫아 봐.", "(open_door, close_door) x2"),
    ("door", "바람이 들어오게 문을 열어 줘", "open_door"),
    ("door", "Open the door, wait ten seconds so the air can clear, then close it again.",
     "open_door, pause 10, close_door"),
    ("door", "If you can see the material, get it; if you can't, close the door.",
     "(material_visible?, get_material) | (not material_visible?, close_door)"),
    ("door", "If you see the material, get it; if that fails, close the door.",
     "get_material unless not material_visible | close_door"),
    ("door", "문이 조금 열려 있는 거면 활짝 열고, 완전히 닫혀 있으면 손대지 마.",
     "open_wide unless not door_is ajar"),
    ("door", "If the door is open, close it; otherwise just tell me it's closed.",
     "(door_is open?, close_door) | (not door_is open?, is_the_door_open)"),
    ("door", "문은 절대 건드리지 말고 자재가 보이는지만 말해.", "is_material_visible"),
    ("door", "don't touch the door, just tell me whether you see the material",
     "is_material_visible"),
    ("door", "Take a look inside and tell me what you see.", "is_material_visible"),
    ("door", "Get me the material from inside. Now.", "get_material"),
    ("door", "Put it back down and go home.", "let_go, arms_home"),
    ("building", "go to the lounge and tell me what you see",
     "look_at lounge situation, report_back"),
]  # fmt: skip
REFUSED = [
    # "there" after several places, conditions on groups of places, waits at each of several places
    ("building", "go to the lounge and the break room and tell the people there to leave"),
    ("building", "go to each room but the lounge and tell everyone there to leave"),
    ("building", "if all rooms except the lounge are dark, come back"),
    ("building", "check all rooms and if one is dark tell the professor"),
    ("building", "wait until all rooms are dark"),
    ("building", "wait until nobody is in any room"),
    ("building", "wait a minute in every room"),
    ("building", "wait a minute in the lounge and the break room"),
    ("door", "hold the material with your left hand and close the door with your right"),
    # words beside or inside messages
    ("building", 'tell the professor "if the lounge is dark, go to the corridor"'),
    ("building", "tell the professor that the lounge is empty if it is"),
    ("building", "tell the professor whether anyone is in the lounge, not me"),
    ("building", "tell the professor whether the lounge is dark and me whether it is noisy"),
    ("building", "tell the professor nothing but the time"),
    ("door", "오른팔만 쓰지 말고 문 열어"),  # "not only with the right arm"
    ("door", "왼쪽 문을 열어"),
    ("door", "문 열어 줄까?"),
    ("door", "문 열기 전에 말해줘"),
    ("door", "don't open the door and close it"),
    ("door", "open the door if you have a free hand"),
    ("door", "If either hand is empty, open the door"),
    ("door", "open your left hand"),
    ("door", "getting the material"),
    ("door", "did you see the material?"),
    ("door", "손 들어"),
    ("door", "문 살짝 열어 줘"),
    ("door", "아 주실래요"),
    ("door", "손에 든 게 있으면 놓고, 그다음 문 닫고, 마지막에 팔 접어"),
    ("door", "자재가 보이면 꺼내 와. 그럼 문 닫으세요"),
    ("building", "go to the lounge, never by the corridor"),
    ("building", "check the lounge but the corridor"),
    ("building", "Were there people in the lounge?"),
    ("building", "라운지에 누가 있었어?"),
    ("building", "라운지에 사람이 있는지 보고 그러면 나한테 알려"),
    ("building", "Look behind the lounge"),
    ("door", "문은 됐고 자재만 가져와"),
    ("door", "문은 그냥 두고 자재 꺼내"),
    ("door", "자재는 그냥 놔둬"),  # "leave it" or "release it"
    ("door", "문 열어, 아니다 그냥 놔둬"),
    ("building", "라운지 안 어두우면 돌아와"),  # 안: "inside" or "not"
    ("building", "go to the lounge unless the professor is there"),
    ("door", "문 닫고 자재 가져오는 대신 팔 접어"),
    ("door", "Open the door, if you fail close it, and fold your arms"),
    ("door", "양손에 뭐가 있으면 내려놔"),
    ("door", "문이 닫혀 있으면 손이 비었는지 확인하고 비었으면 열어"),
    ("door", "문이 닫혀 있으면 손이 비었는지 확인하고 아니면 열어"),
    ("door", "If the door is open, check whether you see the material, and if so get it"),
    ("door", "If the door is open, check whether you see the material, otherwise close it"),
    ("building", "Look at the lounge and the corridor and report only the corridor"),
    ("building", "라운지랑 복도 보고 복도만 보고해"),
    ("door", "양손 중 하나라도 비었으면 문 열어"),
    ("door", "if the door doesn't open, tell me"),  # no act is requested
    ("door", "문을 못 열면 알려줘"),
    ("door", "오른팔로 문 열고 왼팔로 못 열면 닫아"),
    ("door", "If the left hand is empty open the door with it; otherwise don't use it."),
    ("door", "If the door is closed, open it; otherwise don't close it. Close the door."),
    (
        "door",
        "자재가 보이면 가져오고 안 되면 문 닫아",
    ),  # cannot see it, or cannot take it
    ("door", "open and close the door twenty times"),
    ("door", "10초 뒤에 문 닫아"),
    ("building", "bring it back"),
    ("building", "회의 끝났냐고 라운지 사람들한테 물어보고, 끝났으면 교수님께 알려 드려"),
    ("building", "Ask the professor when the meeting is. If so, come back."),
    ("building", "Check the lounge; if he says yes, come back"),
    ("building", "라운지 시끄러운데"),  # only a remark
    ("building", "라운지에 사람 있는데"),
    ("building", "다시 가져와"),
    ("building", "라운지에 사람 있는지 보고 교수님께 서류 드리고 안 계시면 그냥 와"),
    ("building", "Check the lounge for anything but people."),
    ("building", "교수님 방 앞 복도 말고 라운지 봐줘"),  # not the office
    ("building", "Tell nobody in the lounge that I'm here."),
    ("building", "Say hello to no one in the lounge."),
    ("building", "Tell the people in the lounge the same."),  # words that are not said
    ("building", "Tell the professor not that lunch is ready but that it's cancelled."),
    ("building", "Go to the lounge without passing the corridor."),  # the way is not known
    ("building", "Go to the lounge avoiding the corridor."),
    ("building", "라운지부터 가지 말고 휴게실부터 가"),  # only the order is denied
    ("building", "라운지에 사람이 없나 보다."),  # a conjecture
    ("building", "라운지가 어두운가 보네요"),
    ("building", "라운지가 조용해질 때까지 들어가지 마"),
    ("door", "Once the door is closed, don't open it again."),  # only a prohibition
    ("door", "문이 닫히면 다시 열지 마"),
    ("door", "문 열어 놓고 가지 마."),  # "do not leave it open and go"
    ("door", "자재 놓고 가지 마"),
    ("door", "문 닫고 오지 말라니까"),
    ("door", "자재를 잡은 채로 문을 닫지 마"),
    ("door", "문 닫았어야지."),  # reproaches
    ("door", "자재 꺼내 줬으면 문도 닫았어야지"),
    ("door", "문 닫아 달라고 한 사람 없는데"),
    ("door", "Open the door for a sec."),  # words that change the act
    ("door", "Sort of open the door."),
    ("door", "문 쪼매만 열어"),
    ("door", "문이 저절로 열렸어?"),
    ("door", "Shut up."),
    ("door", "문 닫아 줘서 고마워"),  # thanks
    ("building", "Take one of the boxes to the professor."),  # not all of them
    ("door", "Do you have to close the door?"),  # questions about what should be done
    ("door", "Would you say the door should be open?"),
    ("building", "Do you think you should go to the lounge?"),
    ("building", "Let the professor go."),
    ("building", "Bring the professor along."),
    ("building", "교수님께 먼저 가시라고 전해 줘"),
    ("building", "교수님께 먼저 가 보겠다고 전해"),
    ("building", "교수님이 괜찮으시면 들어가"),  # the professor is the subject
    ("building", "교수님이 라운지로 가"),
    ("building", "라운지에도 휴게실에도 점심 드시라고 전해 줘"),
    ("building", "바로 라운지로 가지 말고 복도부터 봐"),  # only the order is denied
    ("building", "Wait in the lounge, then go to the break room."),  # for how long?
    ("building", "Go to the lounge, wait, and come back."),
    ("building", "라운지에서 잠깐 기다렸다가 휴게실로 가"),
]
EXCLUSIONS = {
    "en": ("{act} but not with your {no} arm", "{act} without your {no} arm",
           "rather than the {no} arm, use the {yes} arm to {act}"),
    "ko": ("{no}팔로 말고 {act}", "{no}팔 없이 {act}", "{no}팔은 쓰지 말고 {act}"),
}  # fmt: skip
ARMS = {"en": {"left": "left", "right": "right"}, "ko": {"left": "왼", "right": "오른"}}
ACTS = {"en": ("open the door", "close the door"), "ko": ("문 열어", "문 닫아")}
FAILURES = {
    "en": ("if that fails", "if it does not work", "if you can't", "if you cannot do that",
           "if that is not possible", "failing that", "if it turns out to be impossible",
           "if anything goes wrong", "should you fail"),
    "ko": ("안 되면", "실패하면", "그게 안 되면", "혹시 안 되면", "안 될 경우", "잘 안 되면",
           "불가능하면", "도중에 문제가 생기면"),
}  # fmt: skip
RESULTS = {
    "en": (("open the door", "open", ("if it doesn't open", "if it will not open",
                                      "if it still won't open", "if the door does not open")),
           ("close the door", "closed", ("if it doesn't close", "if the door won't shut"))),
    "ko": (("문 열어", "open", ("안 열리면", "문이 안 열리면", "잘 안 열리면", "열리지 않으면")),
           ("문 닫아", "closed", ("안 닫히면", "문이 안 닫히면", "닫히지 않으면"))),
}  # fmt: skip
RESCUES = {
    "en": ("{act} with your right arm, and {failure}, {act} with your left arm",
           "{act} with your right arm. {failure}, use the left one.",
           "try to {act} with the right arm, {failure}, {act} with the left one"),
    "ko": ("오른팔로 {act} 보고 {failure} 왼팔로 {act}", "오른팔로 {act}. {failure} 왼팔로 해 봐",
           "오른팔로 {act} 봐. {failure} 왼팔로"),
}  # fmt: skip


@pytest.mark.parametrize(("site", "command", "expected"), UNDERSTOOD)
def test_understood_command_has_the_expected_plan(trees, site, command, expected):
    assert trees(site, command) == expected


@pytest.mark.parametrize(("site", "command"), REFUSED)
def test_unclear_command_is_refused(trees, site, command):
    assert trees(site, command).isupper()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_act_after_failure_is_a_fallback_of_the_act_before_it(trees, language):
    for act in ACTS[language]:
        for failure in FAILURES[language]:
            said, *others = (trees("door", form.format(act=act, failure=failure))
                             for form in RESCUES[language])  # fmt: skip
            tree = trees("door", act)
            assert said == f"{tree} right | {tree} left", failure
            assert set(others) == {said}, failure


@pytest.mark.parametrize("language", ["en", "ko"])
def test_act_for_a_missing_result_is_a_fallback_of_the_act_before_it(trees, language):
    for act, state, failures in RESULTS[language]:
        for failure in failures:
            for form in RESCUES[language]:
                tree = trees("door", act)
                command = form.format(act=act, failure=failure)
                known = f"{tree} right | (not door_is {state}?, {tree} left)"
                assert trees("door", command) == known, command


@pytest.mark.parametrize("language", ["en", "ko"])
def test_all_acts_after_failure_are_one_fallback(trees, language):
    acts, *told = {
        "en": ("close it and go home", "tell me why and go home", "go home and say why"),
        "ko": ("닫고 홈으로 가", "이유를 말하고 홈으로 가", "홈으로 가고 왜 그런지 알려 줘"),
    }[language]
    act, _ = ACTS[language]
    for failure in FAILURES[language]:
        said = trees("door", f"{act}. {failure}, {acts}")
        assert said == "open_door | (close_door, arms_home)", failure
        for reason in told:  # every failure is reported
            assert trees("door", f"{act}. {failure}, {reason}") == "open_door | arms_home", reason


@pytest.mark.parametrize(
    "said",
    [
        "grab the material and keep holding it{}",
        "take the material and wait{}",
        "{} 자재를 들고 있어",
        "자재 집고{} 기다려",
    ],
)
def test_waiting_for_the_next_command_adds_no_act_and_allows_none_after_it(trees, said):
    english = said.isascii()
    for until in (
        ("until I say so", "until further notice")
        if english
        else ("내가 말할 때까지", "다음 지시까지")
    ):
        command = said.format(f" {until}")
        assert trees("door", command) == "get_material", command
        late = f"{command}, then close the door" if english else f"{command}. 그다음 문 닫아"
        assert trees("door", late).isupper(), late


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("open the door; if that works, get the material", "open the door, then get the material"),
        ("once the door is open, get the material", "open the door, then get the material"),
        ("문을 열어 보고 성공하면 자재를 꺼내", "문을 열고 자재를 꺼내"),
        ("문 여는 데 성공하면 자재를 꺼내", "문을 열고 자재를 꺼내"),
        ("if you have closed the door, go home", "if the door is closed, go home"),
        ("문을 닫았으면 홈으로 가", "문이 닫혀 있으면 홈으로 가"),
        ("open the door, but only if you have closed it", "open the door only if it is closed"),
        ("try the right arm, and if that fails, open the door with the left",
         "open the door with the right arm, and if that fails, use the left"),
        ("오른팔로 해 보고 안 되면 왼팔로 문 열어", "오른팔로 문 열고 안 되면 왼팔로 열어"),
        ("tell me the state of the door before and after closing it",
         "tell me the state of the door, close it, and tell me the state of the door"),
    ],
)  # fmt: skip
def test_condition_on_the_result_of_an_act_has_the_expected_plan(trees, said, plain):
    assert trees("door", said) == trees("door", plain) != ""
    assert not trees("door", said).isupper()


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("Did you {} properly?", "DONE"),
        ("Were you able to {} before I came back?", "DONE"),
        ("Did anything go wrong when you tried to {}?", "DONE"),
        ("When did you {}?", "DONE"),
        ("Why did you {}?", "WHY"),
        ("Explain why you could not {}.", "WHY"),
    ],
)
def test_questions_about_past_acts_are_answered_from_the_record(trees, asked, code):
    for act in ("open the door", "close the door with the left arm", "take the material out"):
        assert trees("door", asked.format(act)) == code, act


@pytest.mark.parametrize("language", ["en", "ko"])
def test_failure_without_an_act_before_it_is_refused(trees, language):
    for failure in FAILURES[language]:
        for act in ACTS[language]:
            assert trees("door", f"{failure} {act}").isupper(), failure


@pytest.mark.parametrize("language", ["en", "ko"])
def test_excluded_arm_selects_the_other_one(trees, language):
    for said in EXCLUSIONS[language]:
        for act in ACTS[language]:
            for yes, no in (("left", "right"), ("right", "left")):
                arms = ARMS[language]
                command = said.format(act=act, yes=arms[yes], no=arms[no])
                assert trees("door", command).endswith(yes), command


STOPS = {
    "en": ("the lounge", "the break room", "the professor's office"),
    "ko": ("라운지", "휴게실", "교수님 방"),
}
ROUTES = {
    "en": (
        "First {}, next {}, last {}.",
        "Start at {}, then {}, and end up at {}.",
        "To {}, then to {} and finally to {}.",
        "Your route: {}, {}, {}.",
        "Go from {} to {} and from there to {}.",
    ),
    "ko": (
        "{}부터 시작해서 {}, 마지막으로 {}.",
        "{}, {} 찍고 {}.",
        "{}에서 {}까지 갔다가 다시 {}으로.",
    ),
}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_route_visits_its_stops_in_the_order_of_the_text(trees, language):
    for stops in permutations(STOPS[language]):
        plain = "go to {}. go to {}. go to {}" if language == "en" else "{}로 가. {}로 가. {}로 가"
        visits = trees("building", plain.format(*stops))
        for route in ROUTES[language]:
            assert trees("building", route.format(*stops)) == visits, route


@pytest.mark.parametrize(
    "shuttle",
    [
        "Drive back and forth between {} and {} {} times.",
        "Go from {} to {} back and forth {} times.",
    ],
)
def test_back_and_forth_drive_alternates_and_ends_where_it_began(trees, shuttle):
    for one, other in permutations(("the lounge", "the break room")):
        first, second = (name.removeprefix("the ").replace(" ", "_") for name in (one, other))
        trip = f"(go_to {first}, go_to {second}) x3, go_to {first}"
        assert trees("building", shuttle.format(one, other, 3)) == trip


@pytest.mark.parametrize("language", ["en", "ko"])
def test_questions_joined_by_or_are_one_question_about_one_subject(trees, language):
    joined, short = {
        "en": ("Is the door {} or is it {}?", "Is the door {} or {}?"),
        "ko": ("문이 {}, 아니면 {}?", "문이 {}, {}?"),
    }[language]
    states = {"en": ("open", "closed", "ajar"), "ko": ("열려 있어", "닫혀 있어")}[language]
    for pair in permutations(states, 2):
        assert trees("door", joined.format(*pair)) == trees("door", short.format(*pair))


@pytest.mark.parametrize("place", ["the lounge", "the corridor"])
def test_phrase_after_a_question_repeats_the_question(trees, place):
    asked = "Is the break room dark?"
    twice = trees("building", f"{asked} Is {place} dark?")
    for said in (f"And {place}?", f"What about {place}?", f"And what about {place}?"):
        assert trees("building", f"{asked} {said}") == twice != trees("building", asked)


@pytest.mark.parametrize("arm", ["right", "left"])
def test_arm_that_is_named_first_moves_first(trees, arm):
    other = {"right": "left", "left": "right"}[arm]
    for said in (f"both arms home, the {arm} one first", f"bring your arms home, the {other} last"):
        assert trees("door", said) == f"arm_home {arm}, arm_home {other}"


@pytest.mark.parametrize("said", ["put it back in its place", "return it to its original spot"])
def test_order_to_put_an_object_back_is_refused(trees, said):
    assert trees("door", f"take the material out and {said}").isupper()


@pytest.mark.parametrize("aspect", ["darker", "noisier"])
@pytest.mark.parametrize("act", ["go to {}", "go to {} and wait there for a minute"])
def test_act_at_a_place_chosen_by_comparison_becomes_a_conditional(trees, aspect, act):
    either, one, other = (
        act.format(place)
        for place in (
            f"the {aspect} of the lounge and the break room",
            "the break room",
            "the lounge",
        )
    )
    plain = f"if the break room is {aspect} than the lounge, {one}, otherwise {other}"
    assert trees("building", either) == trees("building", plain)
    assert not trees("building", either).isupper()


def test_places_listed_after_an_act_are_the_places_of_the_act(trees):
    for act in ("check", "patrol"):
        plain = trees("building", f"{act} the lounge and the break room")
        assert trees("building", f"{act}: lounge, break room") == plain


@pytest.mark.parametrize("said", ["follow you to the lounge", "come with you", "accompany you"])
def test_message_about_following_the_user_is_not_corrected(compilers, request_on, said):
    """A suggested command without the word "follow" would send another message."""
    answer = compilers["building"].compile(request_on("building", f"ask the professor to {said}"))
    assert answer.did_you_mean == ()
