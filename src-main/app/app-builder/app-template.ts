import { constants } from 'node:fs'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RESOURCES } from '../../shipped-files/root.ts'

const TEMPLATES = join(RESOURCES, 'templates')
// Files stored without their leading dot, because packaging tools and this repository's .gitignore would act on them.
const DOTTED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' }

export const APP_TEMPLATES = { 1: 'app', 2: 'app-2' } as const

export type AppTemplate = (typeof APP_TEMPLATES)[keyof typeof APP_TEMPLATES]

export async function readTemplate(
  app: string,
  template: AppTemplate = APP_TEMPLATES[1],
): Promise<Readonly<Record<string, string>>> {
  const folder = join(TEMPLATES, template)
  const names = (await readdir(folder)).filter((name) => !name.startsWith('__')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      // JSON strings are valid Python literals.
      const named = text.replaceAll('{{app}}', packageName(app)).replaceAll('{{name}}', () => JSON.stringify(app))
      return [DOTTED[name] ?? name, named] as const
    }),
  )
  return Object.fromEntries(files)
}

function packageName(app: string): string {
  return app.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+|[._-]+$/g, '') || 'app'
}

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
