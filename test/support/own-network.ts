/**
 * A network of its own for a service, as on another machine: a namespace of Linux with one cable to this one. It takes root
 * and the program `ip` (package iproute2).
 */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'

/** The network, or why there can be none here. */
export type OwnNetwork =
  | {
      /** Address of what runs in it, as this machine reaches it. */
      readonly address: string
      /** Writes a program that runs the Node of this test in it; gives its path. */
      readonly node: (path: string) => string
    }
  | { readonly why: string }

/** Makes it; it is gone after the test. */
export function ownNetwork(): OwnNetwork {
  if (process.platform !== 'linux') return { why: 'network namespaces are of Linux' }
  if (process.getuid?.() !== 0) return { why: 'network namespaces need root' }
  const number = randomInt(1, 250)
  const [name, outside, inside] = [`drydock-${process.pid}-${number}`, `dd${number}a`, `dd${number}b`]
  const [here, address] = [`10.214.${number}.1`, `10.214.${number}.2`]
  const ip = (line: string) => void execFileSync('ip', line.split(' '), { stdio: 'pipe' })
  try {
    ip(`netns add ${name}`)
    onTestFinished(() => ip(`netns del ${name}`))
    ip(`link add ${outside} type veth peer name ${inside} netns ${name}`)
    ip(`addr add ${here}/30 dev ${outside}`)
    ip(`link set ${outside} up`)
    for (const line of [`addr add ${address}/30 dev ${inside}`, `link set ${inside} up`, 'link set lo up'])
      ip(`-n ${name} ${line}`)
  } catch (error) {
    return { why: `no network namespace can be made: ${(error as Error).message.trim()}` }
  }
  return {
    address,
    node(path) {
      writeFileSync(path, `#!/bin/sh\nexec ip netns exec ${name} '${process.execPath}' "$@"\n`)
      chmodSync(path, 0o755)
      return path
    },
  }
}
