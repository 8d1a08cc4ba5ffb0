// As much as a request may hold, in base64.
const MOST_BYTES = 7 * 1024 * 1024

/**
 * The bytes of a picture as a data URI.
 * @throws Error with a sentence for a person where it is too large or cannot be read
 */
export async function readPicture(file: File): Promise<string> {
  if (file.size > MOST_BYTES)
    throw new Error(
      `${file.name} has ${Math.ceil(file.size / 1024 / 1024)} MiB; a request holds 7. Make it smaller first.`,
    )
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}
