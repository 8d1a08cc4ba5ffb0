/** The endpoints that come with Drydock. */
import type { LiveEndpoint } from '../../src-main/contract/live.ts'

/** Whether a first start makes this endpoint; with no others, somebody is still at the beginning. */
export const isSample = ({ handler }: Pick<LiveEndpoint, 'handler'>): boolean =>
  handler !== undefined && /[\\/]resources[\\/](?:examples|node|catalog)[\\/]/.test(handler)
