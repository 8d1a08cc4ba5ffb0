import { expect, it } from 'vitest'
import { whyNoBuildKit } from '../../../../src-main/runtimes/docker/buildkit.ts'

const DOCKER = [{ Name: 'Engine' }]

it.each([
  [{ ApiVersion: '1.41', Components: DOCKER }, {}, undefined],
  [{ ApiVersion: '1.39', Components: DOCKER }, {}, undefined],
  [{ ApiVersion: '1.38', Components: DOCKER }, {}, "the engine's API 1.38 has none"],
  [{ ApiVersion: '1.41', Components: [{ Name: 'Podman Engine' }] }, {}, "Podman's engine has none"],
  [{ ApiVersion: '1.41' }, { DOCKER_BUILDKIT: '0' }, 'DOCKER_BUILDKIT is 0'],
  [{ ApiVersion: '1.41' }, { DOCKER_BUILDKIT: '1' }, undefined],
])('an engine of %o with %o has BuildKit, or a reason why not', (version, env, why) => {
  expect(whyNoBuildKit(version, env)).toBe(why)
})
