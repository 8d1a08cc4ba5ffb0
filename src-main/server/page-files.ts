import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { PageFile, PageFiles } from '../api/pages.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

// One name of one folder: nothing in it leads out.
const ASSET_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/**
 * Reads the built pages from a folder, each time anew: a build may replace them while the service runs.
 * @param folder absolute; it need not exist
 */
export function openPageFiles(folder: string): PageFiles {
  async function read(...path: readonly string[]): Promise<PageFile | undefined> {
    const file = join(folder, ...path)
    try {
      return { body: await readFile(file), type: TYPES[extname(file)] ?? 'application/octet-stream' }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
      throw error
    }
  }
  return {
    index: () => read('index.html'),
    asset: async (name) => (ASSET_NAME.test(name) ? read('assets', name) : undefined),
  }
}
