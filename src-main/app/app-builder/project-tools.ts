import { readdir, readFile, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BuildFailure } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { manifest } from '../../contract/manifest.ts'
import type { ExampleView } from '../../contract/projects.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import { createEndpointHasher, hashFiles } from '../../features/apps/adapters/hash-files.ts'
import { listContents } from '../../features/apps/adapters/list-contents.ts'
import { createPacker } from '../../features/apps/adapters/pack-artifact.ts'
import { createPythonScanner, localPython } from '../../features/apps/adapters/python-scanner.ts'
import { listFiles, readSourceText } from '../../features/apps/adapters/read-files.ts'
import { readGit } from '../../features/apps/adapters/read-git.ts'
import { sourceStamp } from '../../features/apps/adapters/source-stamp.ts'
import { buildApp } from '../../features/apps/build.ts'
import type { ArtifactContent } from '../../features/apps/ports/build.ts'
import type { BuildProject, ProjectPorts } from '../../features/projects/ports.ts'
import {
  isFile,
  isFolder,
  isWithin,
  listFolders,
  reading,
  realFolder,
  wholePath,
} from '../../runtimes/process/machine-folders.ts'
import { PYTHON_PACKAGES, RESOURCES } from '../../shipped-files/root.ts'
import { APP_TEMPLATES, type AppTemplate, readTemplate, writeFiles } from './app-template.ts'
import { type AppBuilderOptions, buildPorts, SDK } from './create-app-builder.ts'

export function createProjectTools(options: AppBuilderOptions): Pick<ProjectPorts, 'folders' | 'source' | 'build'> {
  const scanProject = createPythonScanner({ packages: PYTHON_PACKAGES, env: options.env })
  const scan = async (project: string, signal?: AbortSignal) => {
    await requireFolder(project)
    return scanProject({ project, signal })
  }
  let examples: ReturnType<typeof readExamples> | undefined
  let python: Promise<string | undefined> | undefined
  return {
    folders: {
      list: listFolders,
      realFolder,
      isWithin,
      isThere: isFolder,
      isFile,
      make: makeApp,
      examples() {
        examples ??= readExamples(scan)
        return examples
      },
    },
    source: {
      async scan(folder, signal) {
        const startedAt = Date.now()
        const found = await scan(folder, signal)
        const { stamp, newestAt } = await sourceStamp(folder, found.files)
        return { scan: found, stamp: newestAt < startedAt ? stamp : undefined }
      },
      fingerprint: hashFiles,
      stamp: async (folder, files) => (await sourceStamp(folder, files)).stamp,
      text: readSourceText,
      localPython() {
        python ??= localPython(options.env)
        return python
      },
      git: (folder) => readGit(folder, options.env),
    },
    build: createProjectBuilder(options),
  }
}

async function requireFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const message = `The folder ${folder} is missing or cannot be read. Restore it, or remove the project.`
  throw new BuildFailure([{ code: 'FOLDER_GONE', message }])
}

function createProjectBuilder({ limitBytes = limit('artifactBytes'), ...options }: AppBuilderOptions): BuildProject {
  const ours = { pythonPackages: PYTHON_PACKAGES, sdk: SDK }
  const plain = createPacker({ ...ours, limitBytes })
  const pack = async (content: ArtifactContent, output: string, signal?: AbortSignal) => {
    const packed = await plain(content, output, signal)
    return { ...packed, contents: await listContents(content, ours) }
  }
  const ports = {
    ...buildPorts(options),
    hashEndpoints: createEndpointHasher(ours),
    localPython: (signal?: AbortSignal) => localPython(options.env, signal),
    pack,
  }
  return async ({ folder, output, ...request }, report, signal) => {
    await requireFolder(folder)
    try {
      const built = await buildApp(ports, { ...request, project: folder, output }, report, signal)
      const read = manifest.parse(JSON.parse(await readFile(built.manifest, 'utf8')))
      return { ...built, manifestRead: read }
    } catch (error) {
      await unlink(output).catch(() => undefined)
      throw error
    }
  }
}

const EXAMPLES = join(RESOURCES, 'examples')
const TEMPLATES: readonly string[] = Object.values(APP_TEMPLATES)
const isTemplate = (from: string): from is AppTemplate => TEMPLATES.includes(from)

async function makeApp(path: string, from: string): Promise<void> {
  const folder = wholePath(path)
  const files = isTemplate(from) ? await readTemplate(basename(folder), from) : await readExample(from)
  await reading(folder, async () => {
    const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    if (entries.length > 0) throw new AppError('FOLDER_NOT_EMPTY', { folder })
    await writeFiles(folder, files, { overwrite: false })
  })
}

async function readExamples(scan: (folder: string) => Promise<ScanDocument>): Promise<readonly ExampleView[]> {
  const names = await exampleNames()
  return Promise.all(
    names.map(async (name) => {
      const folder = join(EXAMPLES, name)
      const readme = await readFile(join(folder, 'README.md'), 'utf8')
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
    const why = `there is no example ${name}; there are ${[...TEMPLATES, ...names].join(', ')}`
    throw new AppError('BAD_FIELD', { field: 'from', why })
  }
  const folder = join(EXAMPLES, name)
  const files = (await listFiles(folder)).filter((file) => !/(^|\/)(\.svc|__pycache__)\//.test(file))
  const texts = files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

function summaryOf(readme: string): string {
  const [, paragraph = ''] = /^#[^\n]*\n+((?:[^\n]+\n?)+)/.exec(readme) ?? []
  return paragraph
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('`', '')
}
