// Asks for the score of the submission on this page until it is there.
"use strict";
{
  const PAUSE = 1500; // milliseconds
  const line = document.getElementById("state");

  async function look() {
    let found;
    try {
      const answer = await fetch(`/api/submissions/${line.dataset.submission}`, { cache: "no-store" });
      found = await answer.json();
    } catch {
      found = { state: "queued" }; // the server may be away for a moment
    }
    if (found.state === "queued") setTimeout(look, PAUSE);
    else if (found.state === "failed") line.textContent = found.problem;
    else if (found.hidden_until) line.textContent = `Scored. Scores are shown from ${found.hidden_until} on.`;
    else line.textContent = found.rank ? `Scored: rank ${found.rank}.` : "Scored.";
  }

  setTimeout(look, PAUSE);
}
