/**
 * Finds the local user behind a connection: any user can connect to loopback, and on Linux and macOS read all command
 * lines.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { SOMEONE_ELSE } from '../../features/keys/rules.ts'
import type { ServiceHost } from '../../runtimes/port.ts'

type End = { readonly address: string; readonly port: number }

const LSOF_MS = 5000
const MAPPED = '::ffff:'

export const userOfConnection: ServiceHost['userOf'] = async ({
  localAddress,
  localPort,
  remoteAddress,
  remotePort,
}) => {
  const find = FINDERS[process.platform]
  if (find === undefined) return undefined
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return SOMEONE_ELSE // it is closed
  const client = { address: remoteAddress, port: remotePort }
  const user = await find(client, { address: localAddress, port: localPort })
  return user ?? (isOfThisMachine(client) ? SOMEONE_ELSE : undefined)
}

type Find = (client: End, service: End) => Promise<number | undefined>

const FINDERS: Partial<Record<NodeJS.Platform, Find>> = { linux: readConnections, darwin: askLsof }

function isOfThisMachine({ address }: End): boolean {
  const plain = address.replace(MAPPED, '').replace(/%.*$/, '')
  // All of 127.0.0.0/8 is this machine; the interface lists one address of it.
  if (plain.startsWith('127.') || plain === '::1') return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === plain))
}

// For a closed connection, the kernel prints 0 as user and as inode.
const ROW = /^\s*\d+: (\w+):(\w+) (\w+):(\w+) \w+ \w+:\w+ \w+:\w+ \w+\s+(\d+)\s+\d+ ([1-9]\d*) /

async function readConnections(client: End, service: End): Promise<number | undefined> {
  const isMapped = client.address.startsWith(MAPPED)
  const isFour = isMapped || isIPv4(client.address)
  // An IPv6 socket can connect to an IPv4 address.
  const tables: readonly (readonly [table: string, prefix: string])[] = isFour
    ? [
        ['/proc/net/tcp', ''],
        ['/proc/net/tcp6', MAPPED],
      ]
    : [['/proc/net/tcp6', '']]
  for (const [table, prefix] of tables) {
    const form = ({ address }: End) => kernelForm(isFour ? prefix + address.replace(MAPPED, '') : address)
    const [clientForm, serviceForm] = [form(client), form(service)]
    for (const line of (await readFile(table, 'utf8').catch(() => '')).split('\n')) {
      const [, from, fromPort = '', to, toPort = '', user] = ROW.exec(line) ?? []
      if (from !== clientForm || to !== serviceForm) continue
      if (Number.parseInt(fromPort, 16) === client.port && Number.parseInt(toPort, 16) === service.port)
        return Number(user)
    }
  }
  return undefined
}

/** The kernel's address format: 32-bit words in the machine's byte order, little-endian. */
function kernelForm(address: string): string {
  const bytes = Buffer.from(bytesOf(address))
  return bytes.swap32().toString('hex').toUpperCase()
}

function bytesOf(address: string): readonly number[] {
  if (isIPv4(address)) return address.split('.').map(Number)
  if (address.startsWith(MAPPED))
    return [...bytesOf('::').slice(0, 10), 255, 255, ...bytesOf(address.slice(MAPPED.length))]
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const words = [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return words.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255])
}

// lsof lists only connections of this user.
async function askLsof(client: End, service: End): Promise<number | undefined> {
  const args = ['-nP', '-a', `-u${process.getuid?.()}`, `-iTCP:${client.port}`, '-Fn']
  const { stdout } = await promisify(execFile)('/usr/sbin/lsof', args, { timeout: LSOF_MS }).catch(() => ({
    stdout: '',
  }))
  const names = (text: string, { address, port }: End) =>
    text.includes(address.replace(MAPPED, '')) && text.endsWith(`:${port}`)
  const isOwn = stdout.split('\n').some((line) => {
    const [from = '', to = ''] = line.split('->')
    return from.startsWith('n') && names(from, client) && names(to, service)
  })
  return isOwn ? process.getuid?.() : undefined
}
