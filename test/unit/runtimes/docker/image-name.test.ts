import { describe, expect, it } from 'vitest'
import { registryName, registryOf, splitImage } from '../../../../src-main/runtimes/docker/docker-login.ts'

describe('the registry of an image', () => {
  it.each([
    ['python', 'docker.io'],
    ['python:3.12-slim', 'docker.io'],
    ['ada/worker', 'docker.io'],
    ['docker.io/library/python', 'docker.io'],
    ['index.docker.io/ada/worker', 'docker.io'],
    ['ghcr.io/ada/worker:1', 'ghcr.io'],
    ['127.0.0.1:5000/worker', '127.0.0.1:5000'],
    ['localhost/worker', 'localhost'],
    ['registry.example.com:5000/a/b@sha256:00', 'registry.example.com:5000'],
  ])('of %s is %s', (image, registry) => {
    expect(registryOf(image)).toBe(registry)
  })
})

it.each([
  ['https://index.docker.io/v1/', 'docker.io'],
  ['https://ghcr.io', 'ghcr.io'],
  ['http://127.0.0.1:5000/v2/', '127.0.0.1:5000'],
  ['ghcr.io', 'ghcr.io'],
])('the registry that docker login stores as %s is %s', (server, registry) => {
  expect(registryName(server)).toBe(registry)
})

it.each([
  ['python', 'python', 'latest'],
  ['python:3.12', 'python', '3.12'],
  ['127.0.0.1:5000/worker', '127.0.0.1:5000/worker', 'latest'],
  ['127.0.0.1:5000/worker:2', '127.0.0.1:5000/worker', '2'],
  ['python@sha256:00', 'python', 'sha256:00'],
  ['a.b:1/c:tag@sha256:00', 'a.b:1/c:tag', 'sha256:00'],
])('the engine pulls %s as %s and %s', (image, fromImage, tag) => {
  expect(splitImage(image)).toEqual({ fromImage, tag })
})
