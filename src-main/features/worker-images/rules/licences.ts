/** Licences that forbid serving, or tie it to a condition. No legal advice: each row names the text to read. */

export type LicenceRow = {
  readonly id: string
  readonly pattern: RegExp
  readonly effect: 'forbids' | 'limits'
  readonly says: string
  readonly source: string
}

const NON_COMMERCIAL = 'It allows non-commercial use only'
const RESEARCH = 'It allows use for research only'

export const LICENCES: readonly LicenceRow[] = [
  {
    id: 'flux-non-commercial',
    pattern: /flux[.\d-]*(?:dev|kontext|fill|redux|canny|depth|krea)?.*non-?commercial/,
    effect: 'forbids',
    says: `${NON_COMMERCIAL}; serving the model needs a licence of Black Forest Labs`,
    source: 'FLUX [dev] Non-Commercial License, Black Forest Labs',
  },
  {
    id: 'stability-non-commercial',
    pattern: /(?:sai|stability(?:ai)?(?:-ai)?)-(?:nc|non-?commercial)(?:-research)?(?:-community)?/,
    effect: 'forbids',
    says: NON_COMMERCIAL,
    source: 'Stability AI Non-Commercial Research Community License Agreement',
  },
  {
    id: 'stability-community',
    pattern: /stability(?:ai)?(?:-ai)?-community/,
    effect: 'limits',
    says: 'Organisations with more than 1,000,000 US dollars of yearly revenue need an enterprise licence',
    source: 'Stability AI Community License Agreement',
  },
  {
    id: 'cc-by-nc',
    pattern: /cc-by-nc|attribution-non-?commercial/,
    effect: 'forbids',
    says: NON_COMMERCIAL,
    source: 'Creative Commons Attribution-NonCommercial 4.0, section 2(a)(1)',
  },
  {
    id: 'polyform-noncommercial',
    pattern: /polyform-noncommercial/,
    effect: 'forbids',
    says: NON_COMMERCIAL,
    source: 'PolyForm Noncommercial License 1.0.0, Noncommercial Purposes',
  },
  {
    id: 's-lab',
    pattern: /\bs-lab(?:-license)?(?:-1\.0)?\b|ntu-s-lab/,
    effect: 'forbids',
    says: `${NON_COMMERCIAL}; commercial use needs the consent of its authors`,
    source: 'S-Lab License 1.0 (CodeFormer, DifFace)',
  },
  {
    id: 'insightface-models',
    pattern: /insightface|buffalo-l|antelopev2/,
    effect: 'forbids',
    says: `${RESEARCH}: the code of InsightFace is MIT, its models are not`,
    source: 'InsightFace, README, License',
  },
  {
    id: 'nvidia-non-commercial',
    pattern: /nvidia-(?:source-code-license|sclv?1?)(?:-nc)?|nvidia.*non-?commercial|nsclv1/,
    effect: 'forbids',
    says: `${NON_COMMERCIAL}, that is for research or evaluation`,
    source: 'NVIDIA Source Code License-NC, section 3.3',
  },
  {
    id: 'apple-research',
    pattern: /apple-amlr|apple-machine-learning-research/,
    effect: 'forbids',
    says: RESEARCH,
    source: 'Apple Machine Learning Research Model License',
  },
  {
    id: 'deepfloyd-if',
    pattern: /deepfloyd-if/,
    effect: 'forbids',
    says: RESEARCH,
    source: 'DeepFloyd IF License Agreement',
  },
  {
    id: 'fair-research',
    pattern: /fair-non-?commercial-research/,
    effect: 'forbids',
    says: `${NON_COMMERCIAL}, for research`,
    source: 'FAIR Noncommercial Research License',
  },
  {
    id: 'intel-research',
    pattern: /intel-research/,
    effect: 'forbids',
    says: RESEARCH,
    source: 'Intel Research Use License Agreement',
  },
  {
    id: 'hunyuan-community',
    pattern: /(?:tencent-)?hunyuan[\w.-]*(?:community|license)/,
    effect: 'limits',
    says: 'It does not apply in the European Union, the United Kingdom and South Korea',
    source: 'Tencent Hunyuan Community License Agreement, Territory',
  },
  {
    id: 'agpl-3.0',
    pattern: /\bagpl|affero/,
    effect: 'limits',
    says: 'A service with modified code must offer its source to its users',
    source: 'GNU Affero General Public License 3.0, section 13',
  },
  {
    id: 'sspl-1.0',
    pattern: /\bsspl|server-side-public-license/,
    effect: 'limits',
    says: 'Offering it as a service requires publishing the source of the whole service',
    source: 'Server Side Public License 1, section 13',
  },
  {
    id: 'research-only',
    pattern: /research(?:-use|-purposes)?-only|only-for-research|academic-(?:use-)?only/,
    effect: 'forbids',
    says: RESEARCH,
    source: 'its own text',
  },
  {
    id: 'non-commercial',
    pattern: /non-?commercial|\bnc-(?:only|license)|not-for-commercial|personal-use-only/,
    effect: 'forbids',
    says: NON_COMMERCIAL,
    source: 'its own text',
  },
]

export function readLicence(text: string): LicenceRow | undefined {
  const plain = text.toLowerCase().replace(/[\s_/]+/g, '-')
  return LICENCES.find(({ pattern }) => pattern.test(plain))
}
