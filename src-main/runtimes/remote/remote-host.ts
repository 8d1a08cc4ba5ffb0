import { shellQuoted } from '../../lib/text.ts'
import { gpuReaderBy } from '../docker/gpu-inventory.ts'
import { NVIDIA_SMI_PATHS, type ProgramEnd } from '../rules/gpu-list.ts'
import type { SshConnection } from './ssh-connection.ts'

type Run = Pick<SshConnection, 'run'>

/** The engine's path or `host:port`, as docker of that user finds it. Rejects with a sentence: missing or forbidden. */
export async function findRemoteEngine({ run }: Run, machine: string): Promise<string> {
  const [state, address = ''] = (await run(FIND_ENGINE)).trim().split(' ')
  if (state === 'missing')
    throw new Error(
      `there is no Docker engine on ${machine}: nothing is at ${address}. Install Docker there, or start it`,
    )
  if (state === 'denied')
    throw new Error(
      `the Docker engine of ${machine} is closed to the user of this connection, who may not open ${address}. Give that user the right, for example with usermod -aG docker`,
    )
  return address
}

const FIND_ENGINE = `
host="\${DOCKER_HOST:-}"
[ -n "$host" ] || host="$(docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null)"
[ -n "$host" ] || host=unix:///var/run/docker.sock
case "$host" in
tcp://*) echo "found \${host#tcp://}"; exit ;;
esac
path="\${host#unix://}"
if [ ! -S "$path" ]; then echo "missing $path"
elif [ ! -w "$path" ]; then echo "denied $path"
else echo "found $path"
fi
`

export async function remoteFolder({ run }: Run, path: string): Promise<string | undefined> {
  const real = (await run(`cd -P -- ${shellQuoted(path)} 2>/dev/null && pwd -P || true`)).trim()
  return real === '' ? undefined : real
}

// Time limit of the remote nvidia-smi, s; same as locally.
const LIMIT_S = 10

export function remoteCards(connection: () => Promise<Run>) {
  let hasHook = false
  async function ask(args: readonly string[]): Promise<ProgramEnd> {
    try {
      const { run } = await connection()
      const [hook = '', end = '', ...lines] = (await run(askScript(args))).split('\n')
      hasHook = hook === 'hook'
      const failure =
        end === 'missing' ? 'missing' : end === 'code 124' ? 'timeout' : end === 'code 0' ? undefined : 'failed'
      return { stdout: lines.join('\n'), stderr: '', failure }
    } catch (error) {
      return { stdout: '', stderr: (error as Error).message, failure: 'failed' }
    }
  }
  return { gpuReader: gpuReaderBy(ask), hasGpuHook: (): boolean => hasHook }
}

// Sets LC_ALL, because numbers must use a decimal point in any locale.
const askScript = (args: readonly string[]) => `
command -v nvidia-container-runtime-hook >/dev/null && echo hook || echo none
for program in ${NVIDIA_SMI_PATHS.join(' ')}; do
  command -v "$program" >/dev/null || continue
  output="$(LC_ALL=C timeout ${LIMIT_S} "$program" ${args.map(shellQuoted).join(' ')} 2>/dev/null)"
  echo "code $?"
  printf '%s\\n' "$output"
  exit 0
done
echo missing
`
export type HostFacts = {
  readonly diskFreeBytes?: number
  readonly diskTotalBytes?: number
  readonly load?: number
}

export async function readHostFacts({ run }: Run, folder: string): Promise<HostFacts> {
  const output = await run(
    `df -Pk -- ${shellQuoted(folder)} 2>/dev/null | tail -n 1; cat /proc/loadavg 2>/dev/null || true`,
  )
  const [disk = '', loads = ''] = output.split('\n')
  const [totalKb, , freeKb] = disk.split(/\s+/).slice(1).map(Number)
  const load = Number.parseFloat(loads)
  return {
    ...(totalKb === undefined || freeKb === undefined || Number.isNaN(freeKb)
      ? {}
      : { diskTotalBytes: totalKb * KIB, diskFreeBytes: freeKb * KIB }),
    ...(Number.isNaN(load) ? {} : { load }),
  }
}

const KIB = 1024
