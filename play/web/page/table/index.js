// A table with a person and agents, independent of a page: moves, views, undo, saving, replays, hints and reviews.
// shapes.d.ts has the types of the data that a page draws.
// Impossible requests throw a TableError: `error.words` is a Message, `error.message` its English text.

export { inWords, makeSetup, setupFromPosition, TableError } from "./setup.js";
export { boardTable, boardWords, isReached, readLessons, rightMove } from "./boards.js";
export { above, luckOf, partsOf, playedBy, pointsOf } from "./luck.js";
export { answer, exerciseTable, isAnswered } from "./exercise.js";
export { games, houseRules, introduce, levels, levelsOf, OTHERS, rulesRefused, STEADY } from "./house.js";
export { planWords } from "./moves.js";
export { bestOf, isHelped, lessonOf, lessonSeed, lessonStart } from "./lesson.js";
export { ahead, forkOf, hasDecided, linkOf, maySit, readLink, tableOfLink } from "./link.js";
export { offer } from "./offer.js";
export { dayNumber, dayOfId, dealOfTheDay, idOfDay, nextPuzzle, puzzleAt, puzzleCount, puzzleOfTheDay, readPuzzles,
  streakOf, THEME_NAMES } from "./puzzles.js";
export { rate, UNRATED, UNSURE } from "./rating.js";
export { ANCHORS, curveOf, levelOf, lostOf, review, summary } from "./review.js";
export { timeLine } from "./replay.js";
export { Table } from "./table.js";
export { FRIEND, levelName, PEOPLE, PERSON } from "../words/names.js";
export { rulesText } from "../words/rules.js";
