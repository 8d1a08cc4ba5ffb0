import { OPTIONAL_FEATURES, type OptionalFeature, type OptionalFeatures } from '../../src-main/app/optional-features.ts'

const NOT_THERE = new URL('./not-there.ts', import.meta.url).href

/** Fails as the import of a missing file does. */
export async function missing(): Promise<never> {
  await import(NOT_THERE)
  throw new Error('the file is there')
}

/** The optional features of a service whose file of this one is missing. */
export const withoutFeature = (name: OptionalFeature): OptionalFeatures => ({
  ...OPTIONAL_FEATURES,
  [name]: { ...OPTIONAL_FEATURES[name], load: missing },
})
