"""The leaderboard and the visitor, as the functions of all pages take them, and making a page."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Depends, Request
from huggingface_hub import parse_huggingface_oauth
from starlette.responses import HTMLResponse

from leaderboard.people import Visitor
from leaderboard.service import Leaderboard

from .render import render


def _board_of(request: Request) -> Leaderboard:
    board: Leaderboard = request.app.state.board
    return board


def visitor_of(request: Request) -> Visitor:
    """Return who asks: the signed-in user of the Hub if there is one, and the network address."""
    user = None
    if "session" in request.scope:  # only where users can sign in
        login = parse_huggingface_oauth(request)
        if login is not None and login.access_token_expires_at.timestamp() > time.time():
            user = login.user_info.preferred_username
    return Visitor(user, request.state.address)


Board = Annotated[Leaderboard, Depends(_board_of)]
Asking = Annotated[Visitor, Depends(visitor_of)]


def show_page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page of the site, with its navigation."""
    can_sign_in = "session" in request.scope
    page = render(
        template,
        path=request.url.path,
        can_sign_in=can_sign_in,
        user=visitor_of(request).user if can_sign_in else None,
        **values,
    )
    return HTMLResponse(page, status)
