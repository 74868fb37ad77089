"""Hidden spots of a place, and views that reveal them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bt_exec_skills.navigation.plane_geometry import Area, Pose
from bt_exec_skills.reporter.perception.floor_hidden_by_people import Occlusion

ROOM = Area(0.0, 0.0, 6.0, 4.0)
ALL_ROUND = [math.radians(degrees) for degrees in range(0, 360, 60)]


def looked(pose, *people):
    """Return the hidden spots after pictures in all directions."""
    unseen = Occlusion(ROOM)
    for yaw in ALL_ROUND:
        unseen.add(pose._replace(yaw=yaw), [at for at in people if in_view(pose, yaw, at)])
    return unseen


def in_view(pose, yaw, at):
    return abs(pose._replace(yaw=yaw).bearing(*at)) < math.radians(45)


def test_empty_room_is_completely_visible():
    unseen = Occlusion(ROOM)
    assert len(unseen.spots) == 15 * 10
    unseen.add(Pose(3.0, 2.0, 0.0), [])
    assert 0 < len(unseen.spots) < 15 * 10
    assert not len(looked(Pose(3.0, 2.0)).spots)


def test_spots_behind_a_person_are_hidden():
    spots = looked(Pose(1.0, 2.0), (3.0, 2.0)).spots
    assert len(spots)
    assert (spots[:, 0] > 3.5).all()
    assert (np.abs(spots[:, 1] - 2.0) < 0.6).all()


def test_remaining_spots_are_visible_from_the_suggested_view():
    pose, somebody = Pose(1.0, 2.0), (3.0, 2.0)
    unseen = looked(pose, somebody)
    view = unseen.best_next_view(pose, [somebody])
    assert view is not None
    unseen.add(view, [somebody])
    assert not len(unseen.spots)
    assert unseen.best_next_view(view, [somebody]) is None


def test_suggested_view_keeps_clear_of_persons_and_is_not_repeated():
    pose, people = Pose(1.0, 2.0), [(2.2, 2.0), (2.2, 1.2), (2.2, 2.8)]
    unseen = looked(pose, *people)
    views = [view for _ in range(5) if (view := unseen.best_next_view(pose, people))]
    assert len(views) == 5
    for number, view in enumerate(views):
        assert all(view.distance_to(*at) > 0.6 for at in people)
        assert all(view.distance_to(other.x, other.y) > 0.4 for other in views[:number])


def test_person_at_the_camera_hides_everything():
    unseen = Occlusion(ROOM)
    unseen.add(Pose(3.0, 2.0, 0.0), [(3.0, 2.0)])
    assert unseen.spots.shape[1] == 2


@pytest.mark.parametrize("area", [Area(0.0, 0.0, 0.4, 0.4), Area(0.0, 0.0, 8.0, 0.5)])
def test_narrow_place_has_spots_along_its_centre_line(area):
    spots = Occlusion(area).spots
    assert len(spots)
    assert (spots[:, 1] == area.centre[1]).all()
