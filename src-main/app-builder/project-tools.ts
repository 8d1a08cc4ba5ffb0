/** What the service needs to open, read and build projects of this machine, joined. */
import { readFile, unlink } from 'node:fs/promises'
import { createEndpointHasher } from '../build/hash-endpoints.ts'
import { hashFiles } from '../build/hash-files.ts'
import { listContents } from '../build/list-contents.ts'
import { isFile, isFolder, listFolders, realFolder } from '../build/machine-folders.ts'
import { createPacker } from '../build/pack-artifact.ts'
import { createPythonScanner, localPython } from '../build/python-scanner.ts'
import { readGit } from '../build/read-git.ts'
import { sourceStamp } from '../build/source-stamp.ts'
import { BuildFailure } from '../contract/build.ts'
import { manifest } from '../contract/manifest.ts'
import { ARCHIVE_LIMIT_BYTES } from '../domain/app/archive-size.ts'
import { buildApp } from '../services/apps/build.ts'
import type { ArtifactContent } from '../services/ports/build.ts'
import type { BuildProject, ProjectPorts } from '../services/ports/projects.ts'
import { type AppBuilderOptions, buildPorts, PYTHON_PACKAGES, SDK } from './create-app-builder.ts'
import { makeApp, readExamples } from './new-app.ts'

/** Makes them for this installation. */
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
      isThere: isFolder,
      isFile,
      make: makeApp,
      // They come with this installation, so they are read once.
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
      localPython() {
        python ??= localPython(options.env)
        return python
      },
      git: (folder) => readGit(folder, options.env),
    },
    build: createProjectBuilder(options),
  }
}

/** @throws BuildFailure where the folder of a project is gone */
async function requireFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const message = `The folder ${folder} is not there, or cannot be read. Bring it back, or forget the project.`
  throw new BuildFailure([{ code: 'FOLDER_GONE', message }])
}

/** Builds as the command line does, and lists what is in the artifact. */
function createProjectBuilder({ limitBytes = ARCHIVE_LIMIT_BYTES, ...options }: AppBuilderOptions): BuildProject {
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
  return async ({ folder, output, ...request }, tell, signal) => {
    await requireFolder(folder)
    try {
      const built = await buildApp(ports, { ...request, project: folder, output }, tell, signal)
      const read = manifest.parse(JSON.parse(await readFile(built.manifest, 'utf8')))
      return { ...built, manifestRead: read }
    } catch (error) {
      await unlink(output).catch(() => undefined) // it may not have come so far
      throw error
    }
  }
}
