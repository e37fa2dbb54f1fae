"""What a rule sees of one nn.Module class, and the questions that several rules ask about it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BodyStart, ClassDefinition, body_start, names_in
from regbuf_lint.classes.uses import MOVERS, AttributeUses
from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.infer.construction import later_events
from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.rewrite.style import TextStyle, quote_of

if TYPE_CHECKING:
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction, Event
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText

_BUILDERS = frozenset({"__init__", "__post_init__"})


class ClassContext:
    """One nn.Module class of the file that is being checked.

    Attributes:
        symbol: the class.
        construction: what building an object of it does.
        source: text of its file.
        settings: the run's settings.
        is_mixin: whether it is no nn.Module class itself but a base of one in the same file, whose construction it is.
    """

    def __init__(
        self, inference: Inference, symbol: ClassSymbol, construction: Construction, *, is_mixin: bool = False
    ) -> None:
        self.symbol = symbol
        self.construction = construction
        self.source: SourceText = symbol.scope.file.source
        self.settings: Settings = inference.settings
        self.is_mixin = is_mixin
        self._inference = inference

    @property
    def name(self) -> str:
        """Dotted qualified name within the file."""
        return self.symbol.scope.qualname

    @cached_property
    def definition(self) -> ClassDefinition:
        """The class as it is written."""
        return self._inference.definition(self.symbol)

    @cached_property
    def uses(self) -> AttributeUses:
        """Uses of attributes in the class's own methods."""
        return self._inference.uses(self.symbol)

    @cached_property
    def _all_uses(self) -> tuple[AttributeUses, ...]:
        bases = self._inference.classes(self.symbol)[1:]
        return (self.uses, *(self._inference.uses(base) for base in bases))

    def moved_by_hand(self, attribute: str | None) -> bool:
        """Whether the class or a base overrides ``_apply``, ``to`` or the like and takes care of the attribute."""
        return any(uses.touches(attribute or "") for uses in self._inference.uses_in(self.symbol, MOVERS))

    @cached_property
    def registers_on_assignment(self) -> bool:
        """Whether a ``__setattr__`` of the class or a base registers buffers by itself."""
        every = self._inference.uses_in(self.symbol, frozenset({"__setattr__"}))
        return any(name in uses.read for uses in every for name in ("register_buffer", "_buffers"))

    def overrides(self, *methods: str) -> str | None:
        """The first of ``methods`` that the class or a base whose source is at hand defines."""
        for base in self._inference.classes(self.symbol):
            for method in methods:
                if method in self._inference.definition(base).methods:
                    return method
        return None

    def changed_later(self, attribute: str) -> bool:
        """Whether a method that runs after construction assigns the attribute or changes it in place."""
        return any(self._runs_later(method) for uses in self._all_uses for method in _changers(uses, attribute))

    def _runs_later(self, method: str) -> bool:
        if method in _BUILDERS:
            return False
        if method not in self.construction.called:
            return True
        callers = frozenset[str]().union(*(uses.read.get(method, ()) for uses in self._all_uses))
        return any(caller not in self.construction.called and caller not in _BUILDERS for caller in callers)

    def later_events(self, attribute: str) -> tuple[Event, ...]:
        """What methods that construction does not call do to the attribute."""
        methods = self.uses.stored.get(attribute, set()) - self.construction.called - _BUILDERS
        events = [later_events(self._inference, self.symbol, method) for method in sorted(methods)]
        return tuple(event for several in events for event in several if event.attribute == attribute)

    def deleted(self, attribute: str) -> bool:
        """Whether some method deletes the attribute."""
        return any(attribute in uses.deleted for uses in self._all_uses)

    def guarded(self, attribute: str) -> bool:
        """Whether some method asks whether the attribute exists or is None."""
        return any(attribute in uses.guarded for uses in self._all_uses)

    def collision(self, attribute: str) -> str | None:
        """What else already gives objects an attribute of that name, in words; None where nothing does."""
        for base in self._inference.classes(self.symbol):
            definition = self._inference.definition(base)
            if definition.defines(attribute):
                return self._collision_with(base, definition, attribute)
        for outside in self._inference.outside_bases(self.symbol):
            known = torch_class(outside.name)
            if known is not None and attribute in (known.names | known.parameters):
                return f"an attribute of `{outside.name}`"
        known = torch_class("torch.nn.Module")
        return "an attribute of `torch.nn.Module`" if known is not None and attribute in known.names else None

    def _collision_with(self, base: ClassSymbol, definition: ClassDefinition, attribute: str) -> str:
        kind = "class attribute"
        if attribute in definition.properties:
            kind = "property"
        elif attribute in definition.methods:
            kind = "method"
        where = "" if base == self.symbol else f" of `{base.scope.qualname}` in {base.scope.file.path.name}"
        return f"a {kind}{where}"

    @cached_property
    def loads_without_construction(self) -> bool:
        """Whether ``from_pretrained`` of transformers builds the class on ``meta`` and fills only what was saved."""
        bases = (*self._inference.classes(self.symbol), *self._inference.outside_bases(self.symbol))
        return any(base.name.endswith("PreTrainedModel") for base in bases)

    def names_in_method(self, method: str) -> frozenset[str]:
        """Names that a new local variable of the method must not have."""
        function = self.definition.methods.get(method)
        return frozenset() if function is None else names_in(function)

    def ignored(self, attribute: str | None) -> bool:
        """Whether the configuration asks for silence about an attribute."""
        last = self.name.rpartition(".")[2]
        names = (attribute or "", f"{last}.{attribute}", f"{self.name}.{attribute}")
        return any(fnmatchcase(name, pattern) for name in names for pattern in self.settings.ignore_attributes)

    def torch_name(self, name: str) -> str | None:
        """How the file spells something of ``torch.nn``: ``nn.Parameter``, ``torch.nn.Parameter``, ...; None if it can't."""
        return self._inference.spelling(self.symbol.scope.file, f"torch.nn.{name}")

    def annotation_place(self) -> BodyStart | None:
        """Where a class-level annotation goes."""
        return body_start(self.symbol)

    @cached_property
    def indent_unit(self) -> str:
        """White space of one level, as the class's own body has it."""
        place = body_start(self.symbol)
        outer = self.source.line(self.symbol.scope.node.lineno) if hasattr(self.symbol.scope.node, "lineno") else ""
        inner = place.indent if place is not None else ""
        return inner[len(outer) - len(outer.lstrip()) :] or "    "

    def text_style(self, method: str) -> TextStyle:
        """What new text in a method looks like."""
        name = self.torch_name("Buffer") or ""
        return TextStyle(
            self.settings.buffer_style,
            name,
            quote_of(self.source.text),
            self.indent_unit,
            self.settings.line_length,
            self.names_in_method(method),
        )

    @property
    def wants_nn_buffer(self) -> bool:
        """Whether fixes assign ``nn.Buffer``."""
        return self.settings.buffer_style is BufferStyle.NN_BUFFER


def _changers(uses: AttributeUses, attribute: str) -> set[str]:
    return uses.stored.get(attribute, set()) | uses.mutated.get(attribute, set())
