import { constants } from 'node:fs'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TEMPLATE = fileURLToPath(new URL('../../resources/templates/app', import.meta.url))
// Files with a dot before their name, which packaging tools and this repository's own .gitignore would take for theirs.
const DOTTED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' }

/** The files of a new app: text by name. @param app its name, which the files hold as far as it can name a project */
export async function readTemplate(app: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(TEMPLATE)).filter((name) => !name.startsWith('__')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(TEMPLATE, name), 'utf8')
      return [DOTTED[name] ?? name, text.replaceAll('{{app}}', packageName(app))] as const
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
