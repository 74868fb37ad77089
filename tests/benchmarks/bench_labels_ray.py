"""Scaling of labelling over the nodes of a Ray cluster, and the estimate for 1,000 h of video.

A cluster of four nodes with one worker each runs on this machine. A scripted model takes 0.5 s for
every batch of eight, with 1, 2 and 4 concurrent requests; every run must write the same bytes. The
processor time of a clip is measured without Ray, and so is decoding its new frame from a video in
LeRobot's default codec (AV1, 640 x 480). ``python tests/benchmarks/bench_labels_ray.py [CLIPS]``;
192 by default. Needs the extra ``ray``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

import bench_labels_rate as rate
import numpy as np

from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.batch.run import BATCH, label_moments
from bt_exec_labeler.clips import RECENT, cut_clip
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labelers import Allowance, Labeler, Unlimited
from bt_exec_labeler.labelers.model_labeler import ModelLabeler
from bt_exec_labeler.labelers.on_ray import RayLabeler
from bt_exec_labeler.lerobot.frames import CodedFrame
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary

THINKS_S = 0.5
NODES = 4
HOURS, STRIDE_S = 1000, 0.5
AT_ONCE = 64  # parallel requests that a vision model server accepts


def make(_: Allowance) -> Labeler:
    """Return a labeler with a separate model, as each worker has one."""
    rate.THINKS_S = THINKS_S
    return ModelLabeler(rate.Model().model, "controller", Vocabulary.model_validate(VOCABULARY))


def labelled(count: int, labeler: Labeler, folder: Path, workers: int) -> tuple[float, str]:
    """Return the duration of a run [s], and the digest of its output."""
    output = Output(folder)
    output.create_or_resume({}, resume=False)
    began = time.perf_counter()
    vocabulary = Vocabulary.model_validate(VOCABULARY)
    progress = label_moments(rate.Clips(count), labeler, vocabulary, output, workers=workers)
    took = time.perf_counter() - began
    assert progress.records == count, progress
    output.write_json_lines()
    return took, hashlib.sha256((folder / "records.jsonl").read_bytes()).hexdigest()


def decoding_s(folder: Path) -> float:
    """Return the processor time for decoding the frames of a clip, over consecutive clips [s]."""
    import av

    path, fps = folder / "noise.mp4", 30
    noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    with av.open(str(path), "w") as video:
        stream = video.add_stream("libsvtav1", rate=fps, options={"g": "2", "preset": "12"})
        stream.width, stream.height, stream.pix_fmt = 640, 480, "yuv420p"
        for k in range(10 * fps):
            picture = av.VideoFrame.from_ndarray(np.roll(noise, k, axis=1), format="rgb24")
            video.mux(stream.encode(picture))
        video.mux(stream.encode())
    frames = tuple(CodedFrame(k / fps, path, k / fps, fps) for k in range(10 * fps))
    episode = Episode("noise", frames)
    began, moments = time.process_time(), [4 + STRIDE_S * k for k in range(12)]
    for t in moments:
        cut_clip(episode, t, RECENT).digest()
    return (time.process_time() - began) / len(moments)


def main(count: int) -> None:
    """Print the table and the calculation."""
    if importlib.util.find_spec("ray") is None:
        print("ray is not installed: pip install 'bt-exec[ray]'")
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worked = time.process_time()
        _, here = labelled(count, make(Unlimited()), folder / "here", 4)
        per_clip_s = (time.process_time() - worked) / count
        decoding = decoding_s(folder)
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        for _ in range(NODES):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        os.environ["RAY_ADDRESS"] = cluster.address
        labeler = RayLabeler(make(Unlimited()), make, NODES)
        labelled(NODES * 8 * BATCH, labeler, folder / "warm", NODES)  # starts the workers
        alone = 0.0
        try:
            for workers in (1, 2, 4):
                took, wrote = labelled(count, labeler, folder / str(workers), workers)
                assert wrote == here, "the bytes differ"
                alone = alone or took
                print(
                    f"{workers} workers: {took:5.1f} s, {count / took:5.1f} clips a second, "
                    f"{alone / took:.2f} x one"
                )
        finally:
            labeler.close()
            cluster.shutdown()
    clips = HOURS * 3600 / STRIDE_S
    requests = clips / BATCH
    print(f"processor: {1000 * per_clip_s:.2f} ms a clip, {1000 * decoding:.0f} ms to decode it")
    print(
        f"{HOURS} hours at a moment every {STRIDE_S} s: {clips / 1e6:.1f} million clips, "
        f"{requests:,.0f} requests; {clips * per_clip_s / 3600:.0f} h of one core, "
        f"{clips * decoding / 3600:.0f} h more to decode; with {AT_ONCE} "
        f"requests at a time, {requests / AT_ONCE / 3600:.1f} h for each second that one takes"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 192)
