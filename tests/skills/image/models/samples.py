"""Sample models: a colour-based detector with prompts, and a model with one answer."""

import numpy as np

from bt_exec_skills.image.models.contracts import Reply
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import box_around

CHANNELS = {"red": 0, "green": 1, "blue": 2}


class ByColour:
    """Detector of one region per prompt, where the colour of its first word is strongest."""

    def __init__(self, score=0.9):
        self.score = score
        self.asked = []

    def detect(self, picture, prompts):
        self.asked.append(tuple(prompts))
        found = []
        for prompt in prompts:
            channel = CHANNELS.get(prompt.split()[0], 0)
            others = [picture[..., one].astype(int) for one in range(3) if one != channel]
            mask = picture[..., channel].astype(int) - np.maximum(*others) > 60
            if mask.any():
                found.append(Detection(prompt, box_around(mask), self.score))
        return found


class Words:
    """Model that answers every question with the same text."""

    def __init__(self, text, confidence=0.9):
        self.reply = Reply(text, confidence)
        self.asked = []

    def answer(self, picture, question):
        self.asked.append((picture.shape, question))
        return self.reply
