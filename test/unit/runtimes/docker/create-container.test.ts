import type Docker from 'dockerode'
import { describe, expect, it } from 'vitest'
import { createContainer, openVolumesOf } from '../../../../src-main/runtimes/docker/container-maker.ts'

// Source: engine 20.10 on ext4.
const NO_QUOTA =
  "(HTTP code 500) server error - --storage-opt is supported only for overlay over xfs with 'pquota' mount option "

/** An engine that refuses what `refuse` says, with what it was asked for. */
function setup(refuse: (asked: Docker.ContainerCreateOptions) => string | undefined) {
  const asked: Docker.ContainerCreateOptions[] = []
  const told: string[] = []
  const made = {} as Docker.Container
  const docker = {
    async createContainer(options: Docker.ContainerCreateOptions) {
      asked.push(options)
      const why = refuse(options)
      if (why !== undefined) throw new Error(why)
      return made
    },
  } as Pick<Docker, 'createContainer'>
  const options = { Image: 'x', HostConfig: { Memory: 1, StorageOpt: { size: '5' } } }
  return { asked, told, made, options, create: () => createContainer(docker, options, (why) => told.push(why)) }
}

describe('a limit of the disk', () => {
  it('is asked for', async () => {
    const { asked, told, made, options, create } = setup(() => undefined)
    expect(await create()).toBe(made)
    expect({ asked, told }).toEqual({ asked: [options], told: [] })
  })

  it('is left out where the engine has none, and that is reported', async () => {
    const { asked, told, made, create } = setup(({ HostConfig }) => HostConfig?.StorageOpt && NO_QUOTA)
    expect(await create()).toBe(made)
    expect(asked[1]).toEqual({ Image: 'x', HostConfig: { Memory: 1 } })
    expect(told).toEqual(["--storage-opt is supported only for overlay over xfs with 'pquota' mount option"])
  })

  it('is not left out for any other refusal', async () => {
    const { asked, create } = setup(() => 'no such image: x')
    await expect(create()).rejects.toThrow('no such image')
    expect(asked).toHaveLength(1)
  })
})

describe('a name that another container has', () => {
  const taken = (name: string) =>
    `(HTTP code 409) unexpected - Conflict. The container name "/${name}" is already in use by container "c1". You have to remove (or rename) that container to be able to reuse that name. `

  it('is left out, as the worker is worth more', async () => {
    const asked: Docker.ContainerCreateOptions[] = []
    const made = {} as Docker.Container
    const docker = {
      async createContainer(options: Docker.ContainerCreateOptions) {
        asked.push(options)
        if (options.name !== undefined) throw new Error(taken(options.name))
        if (options.HostConfig?.StorageOpt !== undefined) throw new Error(NO_QUOTA)
        return made
      },
    } as Pick<Docker, 'createContainer'>
    const options = { name: 'drydock-s-e-w', Image: 'x', HostConfig: { StorageOpt: { size: '5' } } }
    expect(await createContainer(docker, options, () => undefined)).toBe(made)
    expect(asked.at(-1)).toEqual({ Image: 'x', HostConfig: {} })
  })
})

describe('fresh volumes that cannot be opened to all users', () => {
  it('leave no container behind', async () => {
    const removed: object[] = []
    const made = {
      remove: async (options: object) => void removed.push(options),
    } as Partial<Docker.Container> as Docker.Container
    const docker = {
      async createContainer() {
        throw new Error('no space left on device')
      },
    } as Pick<Docker, 'createContainer'>
    const opening = openVolumesOf(made, docker, { fresh: [{ source: 'data' }], like: { Image: 'x', Labels: {} } })
    await expect(opening).rejects.toThrow('no space left')
    expect(removed).toEqual([{ force: true, v: true }])
  })
})
