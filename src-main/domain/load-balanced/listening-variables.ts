import type { EndpointConfig } from '../../contract/endpoint.ts'

type Listening = NonNullable<EndpointConfig['loadBalanced']>
type Variables = EndpointConfig['env']

/** The ports of a load-balanced endpoint. PORT_HEALTH of its environment comes before the setting, as on the platform. */
export function listeningPorts(settings: Listening, env: Variables): Listening {
  const { healthPort: _inSetting, ...rest } = settings
  const healthPort = portOf(env.PORT_HEALTH) ?? settings.healthPort
  return healthPort === undefined || healthPort === (portOf(env.PORT) ?? settings.port) ? rest : { ...rest, healthPort }
}

/** The port that a variable names; undefined: none. */
export function portOf(text: string | undefined): number | undefined {
  const port = /^\s*\d{1,5}\s*$/.test(text ?? '') ? Number(text) : 0
  return port > 0 && port <= 65_535 ? port : undefined
}

/** The path that is asked for health, with its query. Source: docs/spec/job-api.md, 10. */
export function healthPathOf({ HEALTH_CHECK_PATH }: Variables): string {
  const text = HEALTH_CHECK_PATH?.trim() ?? ''
  if (text === '') return '/ping'
  const [path = ''] = text.replace(/^\/*/, '/').split('#', 1)
  // A request line takes no others.
  return path.replace(/[^!-~]+/gu, encodeURIComponent)
}

/** What a container of a load-balanced endpoint is told of where to listen. Source: docs/spec/job-api.md, 10. */
export function listeningVariables({ port, healthPort = port }: Listening): Readonly<Record<string, string>> {
  return {
    PORT: String(port),
    PORT_HEALTH: String(healthPort),
    SVC_HOST: '0.0.0.0', // where the route server of `svc` listens: a container's loopback is its own
  }
}
