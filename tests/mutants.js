/** Small changes of the package for JavaScript, one a line; mutants_of_javascript.py runs them. */

import { readdirSync, readFileSync } from "node:fs";
import ts from "../packages/casino/node_modules/typescript/lib/typescript.js";

const ROOT = new URL("../packages/casino/src/", import.meta.url);
const OTHER = {
  "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "===": ["!=="], "!==": ["==="],
  "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["+"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
  "&&": ["||"], "||": ["&&"], "??": ["&&"], "+=": ["-="], "-=": ["+="], "&=": ["|="], "|=": ["&="],
};
const METHODS = { min: "max", max: "min", some: "every", every: "some", floor: "ceil", ceil: "floor" };

/** @param {ts.Node} node @param {ts.SourceFile} source */
function* changes(node, source) {
  if (ts.isBinaryExpression(node)) {
    const sign = node.operatorToken.getText(source);
    for (const other of OTHER[sign] ?? []) yield [node.operatorToken, other];
  } else if (ts.isNumericLiteral(node)) yield [node, `${Number(node.text) + 1}`];
  else if (node.kind === ts.SyntaxKind.TrueKeyword) yield [node, "false"];
  else if (node.kind === ts.SyntaxKind.FalseKeyword) yield [node, "true"];
  else if (ts.isPrefixUnaryExpression(node) && "!-~".includes(node.getText(source)[0]))
    yield [node, node.operand.getText(source)];
  else if (ts.isIfStatement(node)) for (const value of ["true", "false"]) yield [node.expression, value];
  else if (ts.isConditionalExpression(node)) for (const value of ["true", "false"]) yield [node.condition, value];
  else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) yield [node, ";"];
  else if (ts.isPropertyAccessExpression(node) && Object.hasOwn(METHODS, node.name.text))
    yield [node.name, METHODS[node.name.text]];
  else if (ts.isBreakStatement(node) || ts.isContinueStatement(node))
    yield [node, ts.isBreakStatement(node) ? "continue;" : "break;"];
}

const NAMED = [ts.isClassDeclaration, ts.isFunctionDeclaration, ts.isMethodDeclaration, ts.isGetAccessor];
const seen = new Map();

/** @param {ts.Node} node @param {ts.SourceFile} source @param {string} file @param {string[]} around names */
function list(node, source, file, around = []) {
  const inside = NAMED.some((is) => is(node)) ? [...around, node.name.getText(source)] : around;
  for (const [old, text] of changes(node, source)) {
    const start = old.getStart(source), end = old.getEnd();
    const short = (/** @type {ts.Node} */ one) => one.getText(source).replace(/\s+/g, " ").slice(0, 60);
    const where = ts.isStatement(old) ? "" : ` ${short(old === node ? node.parent : node)}:`;
    const plain = `${file} ${inside.join(".")}:${where} ${short(old)} -> ${text}`; // does not depend on its line
    const before = seen.get(plain) ?? 0, name = before ? `${plain} (${before + 1})` : plain;
    seen.set(plain, before + 1);
    console.log(JSON.stringify({ name, file, start, end, text }));
  }
  ts.forEachChild(node, (child) => list(child, source, file, inside));
}

for (const file of readdirSync(ROOT, { recursive: true }).sort()) {
  if (!file.endsWith(".js")) continue;
  const source = ts.createSourceFile(file, readFileSync(new URL(file, ROOT), "utf8"), ts.ScriptTarget.Latest, true);
  list(source, source, file);
}
