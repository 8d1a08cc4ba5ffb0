import { constants } from 'node:fs'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TEMPLATES = fileURLToPath(new URL('../../resources/templates', import.meta.url))
// Files with a dot before their name, which packaging tools and this repository's own .gitignore would take for theirs.
const DOTTED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' }

/** The templates of apps, by the version of the package that they import. */
export const APP_TEMPLATES = { 1: 'app', 2: 'app-2' } as const

/** Name of a template. */
export type AppTemplate = (typeof APP_TEMPLATES)[keyof typeof APP_TEMPLATES]

/**
 * The files of a new app: text by name.
 * @param app its name, which the files hold as far as it can name a project; an App has it as it is
 */
export async function readTemplate(
  app: string,
  template: AppTemplate = APP_TEMPLATES[1],
): Promise<Readonly<Record<string, string>>> {
  const folder = join(TEMPLATES, template)
  const names = (await readdir(folder)).filter((name) => !name.startsWith('__')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      // JSON writes a text as Python does.
      const named = text.replaceAll('{{app}}', packageName(app)).replaceAll('{{name}}', () => JSON.stringify(app))
      return [DOTTED[name] ?? name, named] as const
    }),
  )
  return Object.fromEntries(files)
}

function packageName(app: string): string {
  return app.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+|[._-]+$/g, '') || 'app'
}

/** Which of the files exist in a folder. */
export async function existingFiles(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map(async (name) =>
      access(join(folder, name), constants.F_OK).then(
        () => name,
        () => undefined,
      ),
    ),
  )
  return found.flatMap((name) => name ?? [])
}

/**
 * Writes files into a folder, which is made if it is missing. @param overwrite without it a file that exists is an
 * error
 */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: overwrite ? 'w' : 'wx' })
  }
}
