/** Files between the browser and the disk. */
import type { Platform } from './platform.ts'

// Browsers begin to read a file after the click; long before this they have.
const HELD_MS = 60_000

/** Lets a person choose files. @returns none where they changed their mind */
export function chooseFiles(accept: string): Promise<readonly File[]> {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept, multiple: true })
  return new Promise((resolve) => {
    input.onchange = () => resolve([...(input.files ?? [])])
    input.oncancel = () => resolve([])
    input.click()
  })
}

/** Gives a file to the browser, which saves it where downloads go. */
export function saveToDisk(blob: Blob, name: string, { after }: Pick<Platform, 'after'>): void {
  const href = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href, download: name }).click()
  after(HELD_MS, () => URL.revokeObjectURL(href))
}

/** A name that every file system takes. */
export function fileNameOf(name: string, ending: string): string {
  const safe = name
    .replace(/[\\/:*?"<>|]|\p{Cc}/gu, '_')
    .trim()
    .slice(0, 120)
  return `${safe === '' ? 'workflow' : safe}${ending}`
}
