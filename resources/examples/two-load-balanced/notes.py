"""An API with a small memory: one worker, or each would have notes of its own."""

from svc import Endpoint, HTTPError

api = Endpoint(name="notes", cpu="cpu3c-1-2", workers=(1, 1))

notes: dict = {}


# Async functions take turns, so no two of them change the notes at once; others run in threads.
@api.get("/notes")
async def list_notes() -> list:
    """All notes, in the order in which they came."""
    return list(notes.values())


@api.post("/notes")
async def add_note(text: str) -> dict:
    """The fields of the JSON body are the parameters."""
    note_id = max(notes, default=0) + 1
    notes[note_id] = {"id": note_id, "text": text}
    return notes[note_id]


@api.get("/notes/{note_id}")
async def read_note(note_id: int) -> dict:
    """Parts of the path are parameters too, and become what they are annotated with."""
    return find(note_id)


@api.put("/notes/{note_id}")
async def change_note(note_id: int, text: str) -> dict:
    """Changes a note."""
    note = find(note_id)
    note["text"] = text
    return note


@api.delete("/notes/{note_id}")
async def remove_note(note_id: int) -> dict:
    """Removes a note."""
    find(note_id)
    return notes.pop(note_id)


def find(note_id: int) -> dict:
    """A note; without one the request is answered with the status."""
    if note_id not in notes:
        raise HTTPError(404, f"there is no note {note_id}")
    return notes[note_id]
