import type { LiveEndpoint } from '../../src-main/contract/live.ts'

export const isSample = ({ handler }: Pick<LiveEndpoint, 'handler'>): boolean =>
  handler !== undefined && /[\\/]resources[\\/](?:examples|node|catalog)[\\/]/.test(handler)
