/**
 * Functions that tests run in the browser. They are JavaScript, because test/docker uses them too and is type-checked
 * without browser types.
 */

/**
 * Navigates to another address as a link does; returns false if the app has to be loaded for it.
 * @param {string} to
 * @returns {boolean}
 */
export function followLink(to) {
  const { pathname } = new URL(to)
  // The title of an editor does not change if the next workflow has the same name.
  const isEditor = [location.pathname, pathname].every((path) => path.startsWith('/workflows/edit'))
  const isLoaded = document.querySelector('footer') !== null
  if (!isLoaded || pathname === location.pathname || isEditor) return false
  // Each page sets the title when it is shown.
  document.title = ''
  history.pushState(null, '', to)
  return true
}

/**
 * Drops idle callbacks without a timeout, as on a machine that is never idle. In them the pages preload all other
 * pages, which would slow down a test of one page.
 */
export function neverIdle() {
  const whenIdle = window.requestIdleCallback.bind(window)
  window.requestIdleCallback = (work, options) => (options?.timeout === undefined ? 0 : whenIdle(work, options))
}

/** Stores the text of each notice in `noticesOfTest`, because success notices disappear after some seconds. */
export function recordNotices() {
  const texts = new Set()
  window.noticesOfTest = texts
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll('[aria-label=Notices] p')) texts.add(notice.textContent)
  }).observe(document, { childList: true, characterData: true, subtree: true })
}

/**
 * Reads the texts of all notices since the app was loaded.
 * @returns {string[]}
 */
export function readNotices() {
  return [...(window.noticesOfTest ?? [])]
}
