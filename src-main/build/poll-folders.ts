import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftAlone } from './left-alone.ts'
import type { EntryChange } from './watch-folders.ts'

// How long between two looks, in ms; source: ours. A look at 2,000 files takes some 50 ms of one core.
const EVERY_MS = 500
const ROOT = ''

/**
 * Looks at times and sizes of a project's files again and again, where the system watches no folders. A project that is
 * not there has no files; it may come back.
 * @param wasThere without it all that is found counts as changed
 * @returns how to end it
 */
export function pollFolders(
  project: string,
  {
    onChange,
    onThere,
  }: {
    readonly onChange: (path: string, change: EntryChange) => void
    /** The project is not there any more, or is there again. */
    readonly onThere: (isThere: boolean) => void
  },
  { wasThere }: { readonly wasThere: boolean },
): () => void {
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let before: ReadonlyMap<string, string> | undefined = wasThere ? undefined : new Map()

  async function look(): Promise<void> {
    const now = await statesIn(project)
    if (ended) return
    if (before !== undefined) {
      if (before.has(ROOT) !== now.has(ROOT)) onThere(now.has(ROOT))
      for (const path of new Set([...before.keys(), ...now.keys()])) {
        if (path === ROOT || before.get(path) === now.get(path)) continue
        onChange(path, !before.has(path) ? 'came' : now.has(path) ? 'changed' : 'went')
      }
    }
    before = now
    if (!ended) timer = setTimeout(look, EVERY_MS)
  }

  void look()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}

/** What a file looks like from outside, by path; the root stands for a project that is there. */
async function statesIn(project: string): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  async function walk(folder: string): Promise<void> {
    // What goes away during the look is not there.
    const entries = await readdir(join(project, folder), { withFileTypes: true }).catch(() => undefined)
    if (entries === undefined) return
    if (folder === ROOT) states.set(ROOT, '')
    await Promise.all(
      entries.map(async (entry) => {
        if (isLeftAlone(entry.name)) return
        const path = folder === ROOT ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) return walk(path)
        const found = await stat(join(project, path)).catch(() => undefined)
        if (found !== undefined) states.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`)
      }),
    )
  }
  await walk(ROOT)
  return states
}
