import { access, constants, lstat, readlink, stat, symlink, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { runProgram } from '../../lib/node/run-program.ts'
import type { ProcessHost } from '../port.ts'
import { installIntoEnvironment } from './virtual-env.ts'

const ASK_LIMIT_MS = 20_000

// Versions are compared only if this Python has the library for it, which comes with pip.
const ASK = `
import json, re, sys
from importlib import metadata
try:
    from packaging.requirements import Requirement
except ImportError:
    try:
        from pip._vendor.packaging.requirements import Requirement
    except ImportError:
        Requirement = None

def is_missing(text):
    wanted = Requirement(text) if Requirement is not None else None
    if wanted is not None and wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
        return False
    name = wanted.name if wanted is not None else re.match(r"[A-Za-z0-9._-]+", text).group()
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return True
    return wanted is not None and not wanted.specifier.contains(version, prereleases=True)

print(json.dumps([text for text in json.loads(sys.argv[1]) if is_missing(text)]))
`
const imports = z.array(z.string())

export function createProcessHost({
  python,
  env,
}: {
  readonly python: () => string
  readonly env: Readonly<Record<string, string | undefined>>
}): ProcessHost {
  return {
    python,
    install: (wish) => installIntoEnvironment(env, wish),
    async missingPackages(requirements) {
      if (requirements.length === 0) return []
      const args = ['-c', ASK, JSON.stringify(requirements)]
      const end = await runProgram({ command: python(), args, env, limitMs: ASK_LIMIT_MS })
      return end.kind === 'ended' && end.exitCode === 0 ? imports.parse(JSON.parse(end.stdout)) : requirements
    },
    async whyNotAt(path, folder) {
      const found = await foundAt(path, folder)
      if (found === 'this folder') return undefined
      if (found === 'something else') return `${path} is there already`
      const mayWrite = await access(dirname(path), constants.W_OK).then(
        () => true,
        () => false,
      )
      return mayWrite ? undefined : `${dirname(path)} belongs to another user`
    },
    async putAt(path, folder) {
      const found = await foundAt(path, folder)
      if (found === 'this folder' || found === 'something else') return
      // If it is not allowed, or another release was faster, the plan has said what to do.
      if (found === 'a link to nowhere') await unlink(path).catch(() => undefined)
      await symlink(folder, path).catch(() => undefined)
    },
  }
}

async function foundAt(path: string, folder: string) {
  const link = await lstat(path).catch(() => undefined)
  if (link === undefined) return 'nothing'
  if (!link.isSymbolicLink()) return 'something else'
  if ((await readlink(path)) === folder) return 'this folder'
  return (await stat(path).catch(() => undefined)) === undefined ? 'a link to nowhere' : 'something else'
}
