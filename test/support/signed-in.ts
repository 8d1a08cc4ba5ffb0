import { PAGE_KEY_META, PAGE_META } from '../../src-main/contract/pages.ts'

/** Where pages store the page key of their session. */
export const STORED_PAGE_KEY = 'drydock.pageKey'

const metaIn = (html: string, name: string) => new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(html)?.[1]

/** Reads the response to a sign-in link as a browser and its page do. */
export async function readSignIn(response: Response) {
  const html = await response.text()
  const setCookie = response.headers.get('set-cookie')
  const secrets = { cookie: setCookie?.split(';', 1)[0] ?? '', pageKey: metaIn(html, PAGE_KEY_META) ?? '' }
  return {
    setCookie,
    ...secrets,
    /** Path of the page that the browser goes on to. */
    page: metaIn(html, PAGE_META),
    /** Headers with which the page then asks. */
    headers: { cookie: secrets.cookie, 'x-drydock-page-key': secrets.pageKey, 'sec-fetch-site': 'same-origin' },
  }
}
