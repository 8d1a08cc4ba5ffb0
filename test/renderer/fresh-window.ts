// Files in one process share a window; each begins with an empty page. Some files run without a window.
if (globalThis.window !== undefined) {
  document.body.replaceChildren()
  document.title = ''
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
}
