# SPDX-License-Identifier: Apache-2.0
"""As much of the Common Expression Language as the policy of packaging/kubernetes uses. evaluate(EXPRESSION, **VARIABLES)"""

import json
import re

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\d+|\w+|&&|\|\||==|[^\s\w])')
NOT_THERE = object()


class Parser:
    """Reads an expression into a function of its variables. Each method reads what binds as closely as its name says."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)

    def next_is(self, *tokens):
        return self.tokens[:1] and self.tokens[0] in tokens

    def take(self, *expected):
        if expected and not self.next_is(*expected):
            raise SyntaxError(f"{' or '.join(expected)} is missing before {' '.join(self.tokens[:9])}")
        return self.tokens.pop(0)

    def choice(self):
        condition = self.operators(0)
        if not self.next_is("?"):
            return condition
        self.take("?")
        yes = self.choice()
        self.take(":")
        no = self.choice()
        return lambda scope: yes(scope) if condition(scope) else no(scope)

    def operators(self, level):
        levels = ({"||": lambda a, b, scope: a(scope) or b(scope)}, {"&&": lambda a, b, scope: a(scope) and b(scope)},
                  {"==": lambda a, b, scope: a(scope) == b(scope), "in": lambda a, b, scope: a(scope) in b(scope)},
                  {"+": lambda a, b, scope: a(scope) + b(scope)})
        if level == len(levels):
            return self.not_or_value()
        left = self.operators(level + 1)
        while self.next_is(*levels[level]):
            operate = levels[level][self.take()]
            left = (lambda operate, a, b: lambda scope: operate(a, b, scope))(operate, left, self.operators(level + 1))
        return left

    def not_or_value(self):
        if self.next_is("!"):
            self.take()
            inner = self.not_or_value()
            return lambda scope: not inner(scope)
        return self.parts(self.value())

    def value(self):
        token = self.take()
        if token == "(":
            inner = self.choice()
            self.take(")")
            return inner
        if token == "[":
            items = self.listed("]")
            return lambda scope: [item(scope) for item in items]
        if token == "{":
            return self.members(lambda: json.loads(self.take()))
        if token == "has":
            inner = self.value()
            return lambda scope: inner(scope) is not NOT_THERE
        if token in ("Object", "JSONPatch"):
            while not self.next_is("{"):
                self.take()  # the kind is the API server's to check
            self.take("{")
            return self.members(self.take)
        if token in ("true", "false") or token[0] in '"0123456789':
            return lambda scope: json.loads(token)
        return self.looked_up(token)

    def looked_up(self, name):
        return lambda scope: scope[name]

    def listed(self, end):
        items = []
        while not self.next_is(end):
            items.append(self.choice())
            if not self.next_is(end):
                self.take(",")
        self.take(end)
        return items

    def members(self, read_name):
        found = {}
        while not self.next_is("}"):
            name = read_name()
            self.take(":")
            found[name] = self.choice()
            if not self.next_is("}"):
                self.take(",")
        self.take("}")
        return lambda scope: {name: member(scope) for name, member in found.items()}

    def parts(self, whole):
        while self.next_is(".", "["):
            if self.take() == "[":
                whole = (lambda whole, key: lambda scope: whole(scope)[key(scope)])(whole, self.choice())
                self.take("]")
                continue
            name = self.take()
            if self.next_is("("):
                whole = self.comprehension(whole, name)
            else:
                whole = (lambda whole, name: lambda scope: whole(scope).get(name, NOT_THERE))(whole, name)
        return whole

    def comprehension(self, whole, name):
        self.take("(")
        variable = self.take()
        self.take(",")
        inner = self.choice()
        self.take(")")
        make = {"map": lambda items, of: [of(item) for item in items], "exists": lambda items, of: any(of(item) for item in items),
                "filter": lambda items, of: [item for item in items if of(item)]}[name]
        return lambda scope: make(whole(scope), lambda item: inner({**scope, variable: item}))


def evaluate(text, **scope):
    parser = Parser(text)
    expression = parser.choice()
    if parser.tokens:
        raise SyntaxError(f"not read: {' '.join(parser.tokens[:9])}")
    return expression(scope)
