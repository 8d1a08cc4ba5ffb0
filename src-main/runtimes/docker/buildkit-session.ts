/**
 * The session that BuildKit asks for secrets and registry credentials during a build: gRPC over an upgraded connection.
 * Source: moby/buildkit session/secrets/secrets.proto, session/auth/auth.proto; grpc/doc/PROTOCOL-HTTP2.md.
 */
import { randomUUID } from 'node:crypto'
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type Docker from 'dockerode'
import protobuf from 'protobufjs/light.js'
import type { RegistryLogin } from './docker-login.ts'

export type SessionContent = {
  readonly secrets?: Readonly<Record<string, string | Uint8Array>> | undefined
  readonly login?: ((registry: string) => Promise<RegistryLogin | undefined>) | undefined
}

export type BuildKitSession = { readonly id: string; readonly close: () => void }

const messages = protobuf.Root.fromJSON({
  nested: {
    SecretRequest: { fields: { ID: { type: 'string', id: 1 } } },
    SecretResponse: { fields: { data: { type: 'bytes', id: 1 } } },
    CredentialsRequest: { fields: { Host: { type: 'string', id: 1 } } },
    CredentialsResponse: { fields: { Username: { type: 'string', id: 1 }, Secret: { type: 'string', id: 2 } } },
    Health: { fields: { status: { type: 'int32', id: 1 } } },
  },
})

const GRPC = { ':status': 200, 'content-type': 'application/grpc' }
const OK = '0'
const NOT_FOUND = '5'
const UNIMPLEMENTED = '12'
const SERVING = 1
// Before each message: a byte for compression, and its length.
const PREFIX_BYTES = 5

type Answer = Readonly<Record<string, unknown>>

type Method = {
  readonly request: string
  readonly response: string
  readonly answer: (request: Readonly<Record<string, unknown>>) => Answer | undefined | Promise<Answer>
}

// The engine asks for Docker Hub by the address of its API.
const registryOf = (host: string) => (host === 'registry-1.docker.io' ? 'docker.io' : host)

function methodsFor({ secrets = {}, login }: SessionContent): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    [
      '/moby.buildkit.secrets.v1.Secrets/GetSecret',
      {
        request: 'SecretRequest',
        response: 'SecretResponse',
        answer({ ID }) {
          const secret = Object.hasOwn(secrets, String(ID)) ? secrets[String(ID)] : undefined
          return secret === undefined ? undefined : { data: Buffer.from(secret) }
        },
      },
    ],
    [
      '/moby.filesync.v1.Auth/Credentials',
      {
        request: 'CredentialsRequest',
        response: 'CredentialsResponse',
        async answer({ Host }) {
          const known = await login?.(registryOf(String(Host)))
          if (known === undefined) return {}
          return 'identitytoken' in known
            ? { Secret: known.identitytoken }
            : { Username: known.username, Secret: known.password }
        },
      },
    ],
    // The engine ends a session that does not answer.
    ['/grpc.health.v1.Health/Check', { request: 'Health', response: 'Health', answer: () => ({ status: SERVING }) }],
  ])
}

export async function openSession(docker: Docker, content: SessionContent): Promise<BuildKitSession> {
  const id = randomUUID()
  const methods = methodsFor(content)
  const socket = await upgraded(docker, {
    Upgrade: 'h2c',
    'X-Docker-Expose-Session-Uuid': id,
    'X-Docker-Expose-Session-Name': 'drydock',
    'X-Docker-Expose-Session-Grpc-Method': [...methods.keys()],
  })
  const session = performServerHandshake(socket)
  session.on('stream', (stream, headers) => {
    stream.on('error', () => stream.destroy())
    answer(stream, methods.get(String(headers[':path']))).catch(() => stream.destroy())
  })
  const close = closing(session, socket)
  for (const source of [session, socket]) source.on('error', close)
  return { id, close }
}

function upgraded(docker: Docker, headers: Readonly<Record<string, string | string[]>>): Promise<Duplex> {
  const request = { method: 'POST', path: '/session', hijack: true, headers, statusCodes: { 200: true } }
  return new Promise((resolve, reject) =>
    docker.modem.dial(request, (error, socket) =>
      socket instanceof Duplex ? resolve(socket) : reject(error ?? new Error('the engine opened no session')),
    ),
  )
}

function closing(session: ServerHttp2Session, socket: Duplex): () => void {
  return () => {
    session.destroy()
    socket.destroy()
  }
}

async function answer(stream: ServerHttp2Stream, method: Method | undefined): Promise<void> {
  const refuse = (status: string) => stream.respond({ ...GRPC, 'grpc-status': status }, { endStream: true })
  const body = await buffer(stream)
  if (method === undefined) return refuse(UNIMPLEMENTED)
  const request = messages.lookupType(method.request).decode(body.subarray(PREFIX_BYTES))
  const response = await method.answer({ ...request })
  if (response === undefined) return refuse(NOT_FOUND)
  const type = messages.lookupType(method.response)
  const message = type.encode(type.create(response)).finish()
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  stream.respond(GRPC, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': OK }))
  stream.end(Buffer.concat([prefix, message]))
}
