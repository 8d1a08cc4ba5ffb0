/** Words that the stand-in knows, and what they do to a picture. All other words change its colours a little. */

/** Where it is. */
export type Place =
  | 'hills'
  | 'mountains'
  | 'sea'
  | 'lake'
  | 'forest'
  | 'city'
  | 'desert'
  | 'meadow'
  | 'space'
  | 'abstract'
  | 'underwater'

/** When it is, by the light. */
export type Hour = 'day' | 'dawn' | 'sunset' | 'dusk' | 'night' | 'storm' | 'overcast'

/** What is in the air, and how it is painted. */
export type Trait =
  | 'clouds'
  | 'clear'
  | 'fog'
  | 'rain'
  | 'snow'
  | 'stars'
  | 'aurora'
  | 'monochrome'
  | 'sepia'
  | 'pastel'
  | 'vivid'
  | 'dark'
  | 'bright'
  | 'warm'
  | 'cold'
  | 'painted'
  | 'neon'

/** What stands in it. */
export type Subject =
  | 'cat'
  | 'bird'
  | 'person'
  | 'tree'
  | 'house'
  | 'castle'
  | 'lighthouse'
  | 'boat'
  | 'lantern'
  | 'balloon'
  | 'flower'
  | 'fish'
  | 'robot'
  | 'bottle'
  | 'fox'

type Table<Name extends string> = Readonly<Record<Name, string>>

const PLACES: Table<Place> = {
  hills: 'hill hills countryside valley landscape field farm vineyard tuscany',
  mountains: 'mountain mountains alps peak peaks cliff canyon volcano glacier summit himalaya fjord',
  sea: 'sea ocean beach coast shore waves wave surf island harbor harbour bay sailing',
  lake: 'lake river pond reflection water waterfall stream',
  forest: 'forest woods woodland jungle pine pines trees taiga rainforest',
  city: 'city cyberpunk skyline street town tokyo york building buildings skyscraper urban alley downtown metropolis',
  desert: 'desert dune dunes sahara sand mars savanna oasis',
  meadow: 'meadow garden flowers poppies grass spring park lavender tulips sunflowers',
  space: 'space galaxy nebula planet planets cosmos universe astronaut starship cosmic orbit',
  abstract: 'abstract fractal pattern texture swirl marble liquid geometric psychedelic wallpaper logo dream',
  underwater: 'underwater coral reef seabed aquarium submarine',
}

const HOURS: Table<Hour> = {
  day: 'day sunny noon daylight summer blue-sky',
  dawn: 'dawn sunrise morning',
  sunset: 'sunset evening golden-hour golden autumn fall',
  dusk: 'dusk twilight blue-hour',
  night: 'night midnight moon moonlight moonlit nocturnal starry neon cyberpunk dark',
  storm: 'storm stormy thunder lightning dramatic tempest',
  overcast: 'overcast foggy misty grey gray winter fog mist',
}

const TRAITS: Table<Trait> = {
  clouds: 'cloud clouds cloudy fluffy',
  clear: 'clear cloudless minimal minimalist',
  fog: 'fog foggy mist misty haze hazy smoke',
  rain: 'rain rainy wet drizzle storm',
  snow: 'snow snowy winter ice blizzard christmas frozen',
  stars: 'star stars starry milky night',
  aurora: 'aurora northern borealis',
  monochrome: 'monochrome black-and-white grayscale greyscale noir',
  sepia: 'sepia vintage antique',
  pastel: 'pastel soft delicate pale',
  vivid: 'vivid vibrant colorful colourful saturated bold',
  dark: 'dark moody gothic shadow shadows',
  bright: 'bright luminous radiant airy light',
  warm: 'warm cozy cosy fire candle golden autumn',
  cold: 'cold icy frozen winter arctic',
  painted: 'watercolor watercolour painting oil painted impressionist impressionism brush gouache illustration',
  neon: 'neon cyberpunk glowing synthwave vaporwave',
}

const SUBJECTS: Table<Subject> = {
  cat: 'cat kitten kitty',
  bird: 'bird birds eagle seagull crow owl swan',
  person: 'person man woman girl boy portrait people astronaut warrior wizard samurai figure lady king queen',
  tree: 'tree oak bonsai willow',
  house: 'house cabin cottage hut barn home',
  castle: 'castle palace fortress tower temple cathedral',
  lighthouse: 'lighthouse beacon',
  boat: 'boat ship sailboat sailing yacht pirate',
  lantern: 'lantern lamp lanterns',
  balloon: 'balloon balloons hot-air',
  flower: 'flower rose tulip lotus sunflower daisy orchid',
  fish: 'fish goldfish koi whale shark dolphin',
  robot: 'robot android mech cyborg',
  bottle: 'bottle potion glass vase',
  fox: 'fox wolf dog puppy',
}

const COLOURS: Readonly<Record<string, string>> = {
  red: 'd7323c',
  crimson: 'b3122f',
  orange: 'f08024',
  amber: 'f2a93b',
  yellow: 'f4d03f',
  gold: 'e0a93a',
  golden: 'e9b04a',
  green: '3fa35b',
  emerald: '1f9d6b',
  lime: '9bd13c',
  teal: '1fa3a3',
  turquoise: '3fc7c0',
  cyan: '3cc8e6',
  blue: '3a6fd8',
  navy: '22386f',
  indigo: '4b45b5',
  purple: '8444c4',
  violet: '8a5bd6',
  lavender: 'b79be6',
  magenta: 'd63fb0',
  pink: 'f08cb4',
  brown: '8a5a36',
  white: 'f2f2ee',
  black: '1a1a1f',
  silver: 'b8c0c8',
  copper: 'b8703f',
}

/** The name in a table that a word stands for. */
function finder<Name extends string>(table: Table<Name>): (word: string) => Name | undefined {
  const names = new Map<string, Name>()
  for (const name of Object.keys(table) as Name[])
    for (const word of table[name].split(' ')) if (!names.has(word)) names.set(word, name)
  // As people write them: `1girl`, `cabins`.
  return (word) => names.get(word) ?? names.get(word.replace(/^\d+/, '').replace(/s$/, ''))
}

/** Where a word says that it is. */
export const placeOf: (word: string) => Place | undefined = finder(PLACES)
/** When a word says that it is. */
export const hourOf: (word: string) => Hour | undefined = finder(HOURS)
/** What a word says that stands there. */
export const subjectOf: (word: string) => Subject | undefined = finder(SUBJECTS)
/** The digits of a colour's name. */
export const colourOf = (word: string): string | undefined => (Object.hasOwn(COLOURS, word) ? COLOURS[word] : undefined)

const TRAIT_WORDS = new Map(Object.entries(TRAITS).map(([name, words]) => [name as Trait, new Set(words.split(' '))]))

/** All that a word says of the air and the paint. */
export const traitsOf = (word: string): readonly Trait[] =>
  [...TRAIT_WORDS].flatMap(([trait, words]) => (words.has(word) ? [trait] : []))
