import type { EndpointConfig } from '../../../contract/endpoint.ts'

type Listening = NonNullable<EndpointConfig['loadBalanced']>
type Variables = EndpointConfig['env']

/** PORT_HEALTH of the environment precedes the setting, as on the platform. */
export function listeningPorts(settings: Listening, env: Variables): Listening {
  const { healthPort: _inSetting, ...rest } = settings
  const healthPort = portOf(env.PORT_HEALTH) ?? settings.healthPort
  return healthPort === undefined || healthPort === (portOf(env.PORT) ?? settings.port) ? rest : { ...rest, healthPort }
}

export function portOf(text: string | undefined): number | undefined {
  const port = /^\s*\d{1,5}\s*$/.test(text ?? '') ? Number(text) : 0
  return port > 0 && port <= 65_535 ? port : undefined
}

/** The health path with its query. Source: docs/spec/job-api.md, 10. */
export function healthPathOf({ HEALTH_CHECK_PATH }: Variables): string {
  const text = HEALTH_CHECK_PATH?.trim() ?? ''
  if (text === '') return '/ping'
  const [path = ''] = text.replace(/^\/*/, '/').split('#', 1)
  return path.replace(/[^!-~]+/gu, encodeURIComponent)
}

/** Listening variables of a load-balanced container. Source: docs/spec/job-api.md, 10. */
export function listeningVariables({ port, healthPort = port }: Listening): Readonly<Record<string, string>> {
  return {
    PORT: String(port),
    PORT_HEALTH: String(healthPort),
    SVC_HOST: '0.0.0.0', // for the route server of `svc`: a container has its own loopback
  }
}
