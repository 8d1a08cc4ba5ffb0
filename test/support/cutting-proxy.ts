import { onTestFinished } from 'vitest'
import { type OpenProxy, openProxy } from './open-proxy.ts'

/** Opens a proxy that a test breaks, and that ends with it. @param to address of the service */
export async function cuttingProxy(to: string, host?: string): Promise<OpenProxy> {
  const proxy = await openProxy(to, host)
  onTestFinished(proxy.close)
  return proxy
}
