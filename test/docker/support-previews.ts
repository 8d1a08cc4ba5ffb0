/** Previews whose workers are containers, and what the engine has of them; nothing is left when the test ends. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { previewProject } from '../preview/support.ts'

const execute = promisify(execFile)

/**
 * An app with a name of its own, and what the engine has of it.
 * @param init further arguments of `init` @param env further variables of all commands
 */
export async function containerPreviews(
  dockerHost: string,
  init: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const name = `preview-${randomUUID().slice(0, 8)}`
  const docker = async (...argv: readonly string[]) => {
    const { stdout } = await execute('docker', argv, { env: { ...process.env, DOCKER_HOST: dockerHost } })
    return stdout.split('\n').filter((line) => line !== '')
  }
  /** Containers of the previews of this app: their environment is the value of the label after the slash. */
  const containers = async (environment?: string) => {
    const lines = await docker('ps', '--all', '--filter', 'label=svc.app', '--format', '{{.ID}} {{.Label "svc.app"}}')
    const wanted = environment === undefined ? `${name}/` : `${name}/${environment}`
    return lines.flatMap((line) => (line.split(' ')[1]?.startsWith(wanted) ? [line.split(' ')[0] ?? ''] : []))
  }
  const networksOf = async (ids: readonly string[]) => {
    if (ids.length === 0) return []
    const form = '{{range $name, $network := .NetworkSettings.Networks}}{{$name}}{{end}}'
    return [...new Set(await docker('inspect', '--format', form, ...ids))]
  }
  const networks = async () => docker('network', 'ls', '--format', '{{.Name}}')
  // Before the commands are ended, which is registered later and so done first.
  onTestFinished(async () => {
    const left = await containers()
    const used = await networksOf(left)
    if (left.length > 0) await docker('rm', '--force', ...left)
    for (const network of used) await docker('network', 'rm', network).catch(() => [])
  })
  const app = await previewProject({ ...env, DOCKER_HOST: dockerHost, SVC_APP: name }, init)
  return { app, containers, networks, networksOf }
}
