"""Work that Gradio does for each session and event, and that nothing here reads, is left out.

For each session it describes every part of all pages, which takes as long as a request otherwise does, and
while that lasts the server answers nobody. Only its deep links read these descriptions, and `gate.py` does
not open them; what an event changes is described when it does. After each event it puts statistics of all
events together, for a page that is off.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from gradio.state_holder import SessionState, StateHolder

if TYPE_CHECKING:
    import gradio as gr

# To be set before the app is built: the statistics are made after so many events, of the last one.
ENVIRONMENT = {"GRADIO_ANALYTICS_CACHE_FREQUENCY": str(10**9), "GRADIO_ANALYTICS_MAX_EVENTS": "1"}


class LightSessions(StateHolder):
    """Gradio's table of sessions, in which new ones begin without descriptions."""

    def set_blocks(self, blocks: gr.Blocks) -> None:
        """Has the sessions be of an app."""
        self._first = SessionState(blocks)  # before anybody can ask for a session
        super().set_blocks(blocks)

    def __getitem__(self, session_id: str) -> Any:
        if session_id not in self.session_data:
            self.session_data[session_id] = self._begin()
        return super().__getitem__(session_id)

    def _begin(self) -> SessionState:
        session = copy(self._first)
        session.blocks_config = copy(self._first.blocks_config)
        session.config_values, session.state_data, session._state_ttl = {}, {}, {}
        return session


def lighten_sessions(blocks: gr.Blocks) -> None:
    """Has an app that was launched keep its sessions so."""
    sessions = LightSessions()  # type: ignore[no-untyped-call]
    sessions.set_blocks(blocks)
    blocks.app.state_holder = sessions
