"""Implements `mind.baseline.Baseline`: this class names the function that asks each question."""

from __future__ import annotations

from npc_eval.baseline import action, day, morning, parts, rate, react, reflect, talk
from npc_eval.prompts import PROMPTS


class GenerativeAgents:
    """Asks many small questions, as the paper's code does."""

    prompts = PROMPTS

    importance = staticmethod(rate.rate)
    plan_day = staticmethod(day.plan)
    plan_steps = staticmethod(day.steps)
    act = staticmethod(action.choose)
    react = staticmethod(react.react)
    talk_context = staticmethod(talk.context)
    remember_talk = staticmethod(talk.remember)
    insights = staticmethod(reflect.insights)
    weigh = staticmethod(parts.weigh)
    revise_identity = staticmethod(morning.revise)
