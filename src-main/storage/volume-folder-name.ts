import { createHash } from 'node:crypto'

// Names that every file system keeps as they are, and apart; none has a dot, so none can be one of the others.
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,62}$/
const SHOWN_CHARACTERS = 40
const HASH_CHARACTERS = 16

/** The folder that stands for a network volume: its name where that can be one, else a part of it and a hash. */
export function volumeFolderName(name: string): string {
  if (PLAIN.test(name)) return name
  const shown = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, SHOWN_CHARACTERS)
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS)
  return `volume-${shown}.${hash}`
}
