/**
 * A network that is this machine alone: a namespace with loopback, and one interface more, which leads nowhere. The
 * default route and the name server are behind it, so whatever tries to leave is counted there, also a question for a
 * name, and is never answered. It ends with the test, with all that was made in it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

// Addresses that are nobody's. Source: RFC 5737.
const INTERFACE = '192.0.2.1/24'
const NAME_SERVER = '192.0.2.53'
// A pair of interfaces, as many kernels lack the kind that counts alone. Without IPv6, whose hosts announce themselves;
// without ARP, so that each packet is sent, and counted once. The namespace lives as long as stdin is open.
const MAKE = `
set -e
PATH="$PATH:/usr/sbin:/sbin"
ip link set lo up
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add leaving type veth peer name nowhere
ip address add ${INTERFACE} dev leaving
ip link set nowhere up
ip link set leaving up arp off
ip route add default dev leaving
mount --bind "$1" /etc/resolv.conf
echo $$
exec cat
`
const ENTER = ['--preserve-credentials'] as const

const run = promisify(execFile)

/** The network, and how programs get into it. */
export type LoopbackNetwork = {
  /** A program that runs what it is given as arguments in the network, in the folder of the caller. */
  readonly enter: string
  /** Packets that tried to leave until now. */
  readonly leftPackets: () => Promise<number>
}

/**
 * Makes it for a test.
 * @param folder of the test, for files that have to be there as long as the network
 * @returns why there is none: it takes root on Linux, `ip`, and a kernel that makes such interfaces
 */
export async function loopbackNetwork(folder: string): Promise<LoopbackNetwork | { readonly why: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { why: 'only root on Linux may make a network namespace' }
  const names = join(folder, 'resolv.conf')
  writeFileSync(names, `nameserver ${NAME_SERVER}\noptions timeout:1 attempts:1\n`)
  const flags = ['--net', '--mount', '--propagation', 'private']
  const keeper = spawn('unshare', [...flags, 'sh', '-c', MAKE, 'sh', names], { stdio: 'pipe' })
  const made = await begun(keeper)
  if ('why' in made) return made
  onTestFinished(async () => {
    keeper.stdin?.end()
    if (keeper.exitCode === null) await once(keeper, 'close')
  })
  const enter = join(folder, 'enter')
  const inside = ['nsenter', `--net=/proc/${made.pid}/ns/net`, `--mount=/proc/${made.pid}/ns/mnt`, ...ENTER]
  // The folder is lost on the way into other mounts.
  writeFileSync(enter, `#!/bin/sh\nexec ${inside.join(' ')} sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"\n`)
  chmodSync(enter, 0o755)
  return {
    enter,
    async leftPackets() {
      const { stdout } = await run(enter, ['ip', '-s', '-j', 'link', 'show', 'leaving'], { cwd: folder })
      const [leaving] = JSON.parse(stdout) as { stats64: { tx: { packets: number } } }[]
      if (leaving === undefined) throw new Error(`no counter in ${stdout}`)
      return leaving.stats64.tx.packets
    },
  }
}

/** The number of the process that holds the namespace. */
async function begun(keeper: ChildProcess): Promise<{ readonly pid: number } | { readonly why: string }> {
  let said = ''
  keeper.stderr?.on('data', (text) => {
    said += text
  })
  const first = once(keeper.stdout as NonNullable<typeof keeper.stdout>, 'data').then(([text]) => Number(text))
  const ended = once(keeper, 'close').then(
    () => `a network namespace cannot be made: ${said.trim()}`,
    (error: Error) => `a network namespace cannot be made: ${error.message}`,
  )
  const made = await Promise.race([first, ended])
  return typeof made === 'string' ? { why: made } : { pid: made }
}
