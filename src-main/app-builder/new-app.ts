/** Apps to begin with: the template of `drydock init`, and the examples that come along. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listFiles } from '../build/list-files.ts'
import { reading, wholePath } from '../build/machine-folders.ts'
import { AppError } from '../contract/errors.ts'
import type { ExampleView } from '../contract/projects.ts'
import type { ScanDocument } from '../contract/scan.ts'
import { readTemplate, writeFiles } from './app-template.ts'

const EXAMPLES = fileURLToPath(new URL('../../resources/examples', import.meta.url))
const TEMPLATE = 'app'

/** Makes an app in a folder that is empty or not there yet. See ProjectFolders.make. */
export async function makeApp(path: string, from: string): Promise<void> {
  const folder = wholePath(path)
  const files = from === TEMPLATE ? await readTemplate(basename(folder)) : await readExample(from)
  await reading(folder, async () => {
    const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    if (entries.length > 0) throw new AppError('FOLDER_NOT_EMPTY', { folder })
    await writeFiles(folder, files, { overwrite: false })
  })
}

/** The examples, by name. @param scan finds their endpoints */
export async function readExamples(scan: (folder: string) => Promise<ScanDocument>): Promise<readonly ExampleView[]> {
  const names = await exampleNames()
  return Promise.all(
    names.map(async (name) => {
      const folder = join(EXAMPLES, name)
      const readme = await readFile(join(folder, 'README.md'), 'utf8')
      // Without Python here they are shown all the same; opening one says what is missing.
      const endpoints = await scan(folder).then(
        ({ endpoints }) => endpoints.flatMap((endpoint) => endpoint.name ?? []),
        () => [],
      )
      return { name, summary: summaryOf(readme), endpoints }
    }),
  )
}

async function exampleNames(): Promise<readonly string[]> {
  const entries = await readdir(EXAMPLES, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

async function readExample(name: string): Promise<Readonly<Record<string, string>>> {
  const names = await exampleNames()
  if (!names.includes(name)) {
    const why = `there is no example ${name}; there are ${[TEMPLATE, ...names].join(', ')}`
    throw new AppError('BAD_FIELD', { field: 'from', why })
  }
  const folder = join(EXAMPLES, name)
  // Somebody may have built or run it where it lies.
  const files = (await listFiles(folder)).filter((file) => !/(^|\/)(\.svc|__pycache__)\//.test(file))
  const texts = files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** The first paragraph below the title. */
function summaryOf(readme: string): string {
  const [, paragraph = ''] = /^#[^\n]*\n+((?:[^\n]+\n?)+)/.exec(readme) ?? []
  return paragraph
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('`', '')
}
