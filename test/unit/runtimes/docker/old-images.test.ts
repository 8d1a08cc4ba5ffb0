import { expect, it } from 'vitest'
import { oldImages } from '../../../../src-main/runtimes/docker/worker-image.ts'

const REPOSITORY = 'drydock-worker'
const TAG = '0.2.0-aaaa'

/** Images, the oldest first. */
function old(tags: readonly string[], inUse: readonly string[] = []) {
  const images = tags.map((tag, at) => ({ RepoTags: [`${REPOSITORY}:${tag}`], Created: at }))
  const names = new Set(inUse.map((tag) => `${REPOSITORY}:${tag}`))
  return oldImages(images, { repository: REPOSITORY, tag: TAG, inUse: names }).map((name) => name.split(':')[1])
}

it('those of other versions go, those of this one stay, whatever they are for', () => {
  const own = [TAG, `${TAG}-gpu`, `${TAG}-python3.12`, `${TAG}-id1-gpu`]
  expect(old(['0.1.0-bbbb', ...own, '0.1.0-bbbb-gpu'])).toEqual(['0.1.0-bbbb-gpu', '0.1.0-bbbb'])
})

it('packages survive a new version: only what is built on them is made again', () => {
  expect(old(['packages-id1', '0.1.0-bbbb-id1'])).toEqual(['0.1.0-bbbb-id1'])
})

it('the five newest images of packages stay, an older one goes after what is built on it', () => {
  const packages = [1, 2, 3, 4, 5].map((n) => `packages-id${n}`)
  expect(old(packages)).toEqual([])
  expect(old([...packages, `${TAG}-id1`, `${TAG}-id1-gpu`, `${TAG}-id2`, 'packages-id6'])).toEqual([
    `${TAG}-id1-gpu`,
    `${TAG}-id1`,
    'packages-id1',
  ])
})

it('packages that were asked for since the start stay, however old they are', () => {
  const packages = [1, 2, 3, 4, 5, 6, 7].map((n) => `packages-id${n}`)
  expect(old([...packages, `${TAG}-id1`], [`${TAG}-id1`])).toEqual(['packages-id2'])
})

it('images of others are not looked at, nor those without a name', () => {
  const images = [
    { RepoTags: ['drydock-worker-of-mine:1', 'python:3.11-slim-bookworm'], Created: 1 },
    { RepoTags: undefined, Created: 2 },
  ]
  expect(oldImages(images, { repository: REPOSITORY, tag: TAG, inUse: new Set() })).toEqual([])
})
