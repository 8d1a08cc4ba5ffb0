// Files of one process share a window; each begins with an empty page, at its start. Some files run without one.
if (globalThis.window !== undefined) {
  document.body.replaceChildren()
  document.title = ''
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
}
