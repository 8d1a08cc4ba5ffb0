import { MIB } from '../../lib/units.ts'
import type { Connected } from '../docker/engine.ts'
import { ifThere } from '../docker/engine-messages.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'
import type { Watch } from '../port.ts'
import { type Conversation, converse } from './conversation.ts'
import { type Program, readProgram } from './read-program.ts'

type Docker = Connected['docker']
type Container = ReturnType<Docker['getContainer']>

export type FilesContainerOptions = {
  readonly serviceId: string
  readonly pythonPath: string
  readonly image: (connected: Connected, watch: Watch) => Promise<string>
}

const LABELS = { service: 'svc.files', program: 'svc.files.program' } as const
const PROGRAM = 'svc_files'
const VOLUME_FOLDER = '/files'
const MEMORY_BYTES = 512 * MIB // a manifest of 100,000 files takes about 150 MiB
const MAX_PROCESSES = 32

export function createFilesContainer({ serviceId, pythonPath, image }: FilesContainerOptions) {
  const name = `drydock-${serviceId}-files`
  let program: Promise<Program> | undefined

  async function ensure(connected: Connected, watch: Watch): Promise<string> {
    const { docker } = connected
    program ??= readProgram(pythonPath, PROGRAM)
    const { archive, hash } = await program
    const labels = { [LABELS.service]: serviceId }
    await docker.createVolume({ Name: name, Labels: labels })
    const { Mountpoint } = await docker.getVolume(name).inspect()
    const container = docker.getContainer(name)
    const found = await stateOf(container)
    if (found?.program === hash && found.running) return Mountpoint
    if (found !== undefined) await container.remove({ force: true, v: true })
    const made = await docker.createContainer({
      name,
      Image: await image(connected, watch),
      Entrypoint: ['python3', '-m', PROGRAM],
      Cmd: ['wait', VOLUME_FOLDER],
      User: '0:0',
      Env: [`PYTHONPATH=${RUNTIME_FOLDER}`, 'PYTHONDONTWRITEBYTECODE=1'],
      Labels: { ...labels, [LABELS.program]: hash },
      NetworkDisabled: true,
      HostConfig: {
        NetworkMode: 'none',
        AutoRemove: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: MEMORY_BYTES,
        MemorySwap: MEMORY_BYTES,
        PidsLimit: MAX_PROCESSES,
        ReadonlyRootfs: true,
        Mounts: [
          { Type: 'volume', Source: '', Target: RUNTIME_FOLDER, ReadOnly: false },
          { Type: 'volume', Source: name, Target: VOLUME_FOLDER, ReadOnly: false },
        ],
      },
    })
    await made.putArchive(archive, { path: RUNTIME_FOLDER })
    await made.start()
    return Mountpoint
  }

  async function remove(docker: Docker): Promise<void> {
    await docker.getContainer(name).remove({ force: true, v: true }).catch(ifThere)
  }

  return {
    name,
    /**
     * Creates and starts it if missing.
     * @returns the volume's path as seen by that engine
     */
    ensure,
    async run(docker: Docker, command: string, argv: readonly string[] = []): Promise<Conversation> {
      const exec = await docker.getContainer(name).exec({
        Cmd: ['python3', '-m', PROGRAM, command, VOLUME_FOLDER, ...argv],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      })
      const stream = await exec.start({ hijack: true, stdin: true })
      return converse(stream, (mixed, output, error) => docker.modem.demuxStream(mixed, output, error))
    },
    remove,
    async removeAll(docker: Docker) {
      await remove(docker)
      await docker.getVolume(name).remove().catch(ifThere)
    },
  }
}

async function stateOf(container: Container): Promise<{ program: string | undefined; running: boolean } | undefined> {
  const found = await container.inspect().catch(ifThere)
  return found && { program: found.Config.Labels[LABELS.program], running: found.State.Running }
}
