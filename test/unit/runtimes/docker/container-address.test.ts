import type Docker from 'dockerode'
import { describe, expect, it } from 'vitest'
import { containerAddress, portsLabel, readPortsLabel } from '../../../../src-main/runtimes/docker/labels.ts'

type State = Pick<Docker.ContainerInspectInfo, 'NetworkSettings'>

const stateOf = (IPAddress: string, published: Readonly<Record<string, string>> = {}) =>
  ({
    NetworkSettings: {
      Networks: { 'drydock-1': { IPAddress } },
      Ports: Object.fromEntries(Object.entries(published).map(([port, HostPort]) => [`${port}/tcp`, [{ HostPort }]])),
    },
  }) as unknown as State

describe('the address of a load-balanced container', () => {
  it('is its own where it can be seen', () => {
    expect(containerAddress(stateOf('172.18.0.2'), { port: 80 }, false)).toEqual({
      host: '172.18.0.2',
      port: 80,
      healthPort: 80,
    })
  })

  it('is that of the published ports elsewhere', () => {
    const state = stateOf('172.18.0.2', { 80: '32001', 81: '32002' })
    expect(containerAddress(state, { port: 80, healthPort: 81 }, true)).toEqual({
      host: '127.0.0.1',
      port: 32001,
      healthPort: 32002,
    })
    expect(containerAddress(state, { port: 80 }, true)).toMatchObject({ port: 32001, healthPort: 32001 })
  })

  it('is missed with a word of what is missing', () => {
    expect(() => containerAddress(stateOf(''), { port: 80 }, false)).toThrow('gave the container no address')
    expect(() => containerAddress(stateOf('172.18.0.2'), { port: 80 }, true)).toThrow('did not publish port 80')
  })
})

it.each([[{ port: 80 }], [{ port: 80, healthPort: 8080 }]])('the label of %j is read as it was written', (ports) => {
  expect(readPortsLabel(portsLabel(ports))).toEqual({ healthPort: 80, ...ports })
})

it('no label is no ports', () => {
  expect([readPortsLabel(undefined), readPortsLabel('')]).toEqual([undefined, undefined])
})
