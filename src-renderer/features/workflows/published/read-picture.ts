import { limit } from '../../../../src-main/contract/limits.ts'

const MIB = 1024 * 1024
// What the pictures of a job may have, in base64, which has four characters for three bytes.
const MOST_MIB = Math.floor(((limit('runImagesBytes') / MIB) * 3) / 4)

/**
 * The bytes of a picture as a data URI.
 * @throws Error with a sentence for a person where it is too large or cannot be read
 */
export async function readPicture(file: File): Promise<string> {
  if (file.size > MOST_MIB * MIB)
    throw new Error(
      `${file.name} has ${Math.ceil(file.size / MIB)} MiB; a request holds ${MOST_MIB}. Make it smaller first.`,
    )
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}
