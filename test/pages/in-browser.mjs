/**
 * Functions that tests run in the browser. No types: test/docker uses the pages too, and is checked without those of browsers.
 */

/**
 * Goes on to another address of the app as a link does; false where the app has to be loaded for it.
 * @param {string} to
 * @returns {boolean}
 */
export function followLink(to) {
  const { pathname } = new URL(to)
  // An editor keeps its window's name where the next workflow has the same one.
  const isEditor = [location.pathname, pathname].every((path) => path.startsWith('/workflows/edit'))
  const isLoaded = document.querySelector('footer') !== null
  if (!isLoaded || pathname === location.pathname || isEditor) return false
  // Each page that is shown names the window.
  document.title = ''
  history.pushState(null, '', to)
  return true
}

/**
 * Drops idle callbacks that have no timeout, as on a machine that is never idle. The pages preload all other pages in
 * them, which a test of one page should not pay for.
 */
export function neverIdle() {
  const whenIdle = window.requestIdleCallback.bind(window)
  window.requestIdleCallback = (work, options) => (options?.timeout === undefined ? 0 : whenIdle(work, options))
}

/** Keeps the text of each notice in `noticesOfTest`, because success notices disappear after some seconds. */
export function recordNotices() {
  const texts = new Set()
  window.noticesOfTest = texts
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll('[aria-label=Notices] p')) texts.add(notice.textContent)
  }).observe(document, { childList: true, characterData: true, subtree: true })
}

/**
 * The texts of all notices since the app was loaded.
 * @returns {string[]}
 */
export function readNotices() {
  return [...(window.noticesOfTest ?? [])]
}
