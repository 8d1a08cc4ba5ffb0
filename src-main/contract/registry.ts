import { z } from 'zod'

/** Name under which credentials are stored; endpoints name it as `registryAuth`. */
const registryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, hyphens and underscores')

const server = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:\d{1,5})?$/, 'must be a host, like ghcr.io or registry.example.com:5000')

/** Body of 'store registry credentials'; it replaces those of the same name. */
export const registryCreate = z.strictObject({
  name: registryName,
  server: server.describe('host of the registry; docker.io for Docker Hub'),
  username: z.string().min(1).max(1000),
  password: z.string().min(1).max(10_000).describe('password or token; it is stored encrypted and never shown again'),
})

/** Credentials to be stored. */
export type RegistryCreate = z.infer<typeof registryCreate>

/** Stored credentials as the management API shows them: without the password. */
export const registryView = z.object({
  name: z.string(),
  server: z.string(),
  username: z.string(),
  updatedAt: z.number().int(),
})

/** Stored credentials, without the password. */
export type RegistryView = z.infer<typeof registryView>

/** What a registry is given. */
export type RegistryCredentials = Pick<RegistryCreate, 'server' | 'username' | 'password'>
