/**
 * The address for traces as the environment variables of OpenTelemetry have it; undefined: they name none, or no address
 * that could be used. Source: the specification of OpenTelemetry, OTLP exporter.
 */
export function tracesAddress(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  if (isHttp(own)) return own
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  return isHttp(base) ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined
}

const isHttp = (text: string | undefined): text is string =>
  text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
