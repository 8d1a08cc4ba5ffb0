import type { Platform } from './platform.ts'

// Browsers start to read a file after the click, well within this time.
const HELD_MS = 60_000

export function chooseFiles(accept: string): Promise<readonly File[]> {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept, multiple: true })
  return new Promise((resolve) => {
    input.onchange = () => resolve([...(input.files ?? [])])
    input.oncancel = () => resolve([])
    input.click()
  })
}

export function download(href: string, name: string): void {
  Object.assign(document.createElement('a'), { href, download: name }).click()
}

export function saveToDisk(blob: Blob, name: string, { after }: Pick<Platform, 'after'>): void {
  const href = URL.createObjectURL(blob)
  download(href, name)
  after(HELD_MS, () => URL.revokeObjectURL(href))
}

export function fileNameOf(name: string, ending: string): string {
  const safe = name
    .replace(/[\\/:*?"<>|]|\p{Cc}/gu, '_')
    .trim()
    .slice(0, 120)
  return `${safe === '' ? 'workflow' : safe}${ending}`
}

/** Saves what an address returns. A link, so that the browser streams it to disk. */
export function saveAddress(href: string, download: string): void {
  Object.assign(document.createElement('a'), { href, download }).click()
}
