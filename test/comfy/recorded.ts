import { fileURLToPath } from 'node:url'

/** The file with the page's payloads of the samples, by name. */
export const recordedFile = fileURLToPath(new URL('../fixtures/comfy-page.json', import.meta.url))
