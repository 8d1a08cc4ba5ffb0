import { AppError } from '../contract/errors.ts'
import type { Log } from '../lib/clock.ts'

/** @throws AppError FEATURE_MISSING, after logging the reason */
export async function loadFeature<Module>(log: Log, feature: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    log.error('a feature could not be loaded', { feature, error: cause })
    throw new AppError('FEATURE_MISSING', { feature }, { cause })
  }
}
